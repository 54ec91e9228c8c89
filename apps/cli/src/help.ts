/** How commands are used, as text, made from the tables that the parser itself reads. */
import { type Command, GLOBAL_OPTIONS, type Options } from './args.ts'
import { table } from './output.ts'

export function overview(commands: readonly { name: string; summary: string }[]): string {
  return [
    'nuum: agents that live on your disk',
    '',
    'Usage: nuum [COMMAND] [--json] [--home DIR]',
    '',
    table(commands.map(({ name, summary }) => [`  ${name}`, summary])),
    '  help COMMAND tells more of one.',
    '',
    'Exit codes: 0 ok, 1 failed, 2 usage, 3 not found, 4 denied or waiting for a person, 5 conflict.',
    'Environment: NUUM_HOME, NUUM_PORT, NUUM_LOG=debug, NUUM_NO_BROWSER.',
  ].join('\n')
}

export function commandHelp<C>(command: Command<C>): string {
  const actions = Object.values(command.actions)
  const blocks = actions.map((action) => {
    const options = optionLines(action.options ?? {})
    return [`  ${action.usage}`, `      ${action.summary}`, ...(options === '' ? [] : [options])].join('\n')
  })
  return [...blocks, ...(command.notes ?? []).map((note) => `  ${note}`), '', '  everywhere', optionLines(GLOBAL_OPTIONS)].join('\n')
}

function optionLines(options: Options): string {
  return table(
    Object.entries(options).map(([name, option]) => [
      `      ${option.short ? `-${option.short}, ` : ''}--${name}${option.value ? ` ${option.value}` : ''}`,
      option.help,
    ]),
  )
}
