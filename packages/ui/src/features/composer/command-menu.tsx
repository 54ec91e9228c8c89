/** The commands that the text may become. The text field keeps the focus; arrows choose, Enter or Tab takes, Esc closes. */
import { useLocale } from '../../components/app-context.tsx'
import type { Command } from './commands.ts'

export const optionId = (command: Command): string => `command-${command}`

type MenuProps = {
  readonly id: string
  readonly commands: readonly Command[]
  readonly chosen: Command | undefined
  readonly take: (command: Command) => void
}

export function CommandMenu({ id, commands, chosen, take }: MenuProps) {
  const { t } = useLocale()
  return (
    <div className="command-menu" id={id} role="listbox" aria-label={t.command.menu}>
      {commands.map((command) => (
        <div
          key={command}
          id={optionId(command)}
          role="option"
          tabIndex={-1}
          aria-selected={command === chosen}
          onPointerDown={(event) => {
            event.preventDefault() // the focus stays in the text
            take(command)
          }}
        >
          <span className="command-name" dir="ltr">
            /{command}
          </span>
          <span className="hint">{t.command[command]}</span>
        </div>
      ))}
    </div>
  )
}
