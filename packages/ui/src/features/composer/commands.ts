/** The commands of the composer, and which of them a text means. A text that begins with `/` and is none of them is a message. Pure. */
export const COMMANDS = ['fresh', 'retry', 'find', 'export', 'model', 'stop'] as const
export type Command = (typeof COMMANDS)[number]

/** The commands that the text may become, while it is nothing but the beginning of one. */
export function matchCommands(text: string, isAtWork: boolean): Command[] {
  const typed = /^\/([a-z]*)$/i.exec(text.trimEnd())?.[1]?.toLowerCase()
  if (typed === undefined || /\n/.test(text)) return []
  return COMMANDS.filter((command) => command.startsWith(typed) && isOffered(command, isAtWork))
}

/** A run in progress forbids what would change the conversation under it. */
const isOffered = (command: Command, isAtWork: boolean): boolean =>
  command === 'stop' ? isAtWork : command === 'fresh' || command === 'retry' ? !isAtWork : true
