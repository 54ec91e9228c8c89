/**
 * What a command accepts, and what was typed read by it.
 * 1. Everything unknown is refused with the near name; nothing is guessed.  2. Pure: no process, no terminal.
 * A word that starts with `-` and holds blanks, or is a number, is text and no option.
 */
import { parseArgs } from 'node:util'
import { CommandError } from './failure.ts'

export type Option = {
  readonly type: 'string' | 'boolean'
  readonly value?: string
  readonly help: string
  readonly multiple?: true
  readonly short?: string
}
export type Options = Readonly<Record<string, Option>>

export type Parsed = {
  readonly args: readonly string[]
  readonly text: (name: string) => string | undefined
  readonly list: (name: string) => readonly string[]
  readonly flag: (name: string) => boolean
}

/** `args`: how many words follow the verb, from and to. `run` answers with the exit code. */
export type Action<Context> = {
  readonly usage: string
  readonly summary: string
  readonly args: readonly [number, number]
  readonly options?: Options
  readonly run: (context: Context, parsed: Parsed) => Promise<number>
}
/** The action under `''` is the one without a verb. `verbAt` is the verb's place among the words. */
export type Command<Context> = {
  readonly name: string
  readonly verbAt?: 0 | 1
  readonly notes?: readonly string[]
  readonly actions: Readonly<Record<string, Action<Context>>>
}

export const GLOBAL_OPTIONS: Options = {
  json: { type: 'boolean', help: 'print JSON for scripts' },
  home: { type: 'string', value: 'DIR', help: 'the data directory (default: $NUUM_HOME, else ~/.nuum)' },
  help: { type: 'boolean', short: 'h', help: 'say how the command is used' },
}

/** The words before the command's name may be global options: `nuum --json agents`. */
export function splitCommand(argv: readonly string[], isValueOption: (word: string) => boolean): { name: string | undefined; rest: string[] } {
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? ''
    if (word === '--') break
    if (isValueOption(word)) at += 1
    else if (!word.startsWith('-')) return { name: word, rest: [...argv.slice(0, at), ...argv.slice(at + 1)] }
  }
  return { name: undefined, rest: [...argv] }
}

export function parseCommand<C>(command: Command<C>, argv: readonly string[]): { verb: string; action: Action<C>; parsed: Parsed } {
  const all: Options = Object.assign({}, GLOBAL_OPTIONS, ...Object.values(command.actions).map((action) => action.options ?? {}))
  const { values, positionals } = readWords(command.name, all, argv)
  const { verb, action, args } = findAction(command, positionals)
  const allowed: Options = { ...GLOBAL_OPTIONS, ...action.options }
  for (const name of Object.keys(values)) {
    if (!Object.hasOwn(allowed, name)) throw usage(`\`${fullName(command.name, verb)}\` takes no --${name}.`, action)
  }
  if (values.help !== true) checkCount(command.name, verb, action, args.length)
  const strings = (name: string) => {
    const value = values[name]
    return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : typeof value === 'string' ? [value] : []
  }
  return { verb, action, parsed: { args, list: strings, text: (name) => strings(name).at(-1), flag: (name) => values[name] === true } }
}

function findAction<C>(command: Command<C>, words: readonly string[]): { verb: string; action: Action<C>; args: string[] } {
  const at = command.verbAt ?? 0
  const verb = words[at]
  const named = verb !== undefined && verb !== '' && Object.hasOwn(command.actions, verb) ? command.actions[verb] : undefined
  if (verb !== undefined && named !== undefined) return { verb, action: named, args: words.filter((_, place) => place !== at) }
  const plain = command.actions['']
  if (plain !== undefined && (verb === undefined || words.length <= plain.args[1])) return { verb: '', action: plain, args: [...words] }
  const verbs = Object.keys(command.actions).filter((name) => name !== '')
  if (verbs.length === 0 && plain !== undefined) return { verb: '', action: plain, args: [...words] }
  const problem = verb === undefined ? `\`nuum ${command.name}\` needs one of: ${verbs.join(', ')}.` : `\`nuum ${command.name}\` knows no "${verb}".`
  throw new CommandError('usage', `${problem}${near(verb ?? '', verbs)}`, { hint: `Run \`nuum help ${command.name}\`.` })
}

function checkCount<C>(name: string, verb: string, action: Action<C>, count: number): void {
  const [least, most] = action.args
  if (count < least) throw usage(`\`${fullName(name, verb)}\` needs more: something is missing.`, action)
  if (count > most)
    throw usage(
      `\`${fullName(name, verb)}\` takes ${most === 0 ? 'no words' : `at most ${most} word${most === 1 ? '' : 's'}`} here, and ${count} were given.`,
      action,
    )
}

const fullName = (name: string, verb: string) => `nuum ${name}${verb === '' ? '' : ` ${verb}`}`

function usage<C>(message: string, action: Action<C>): CommandError {
  return new CommandError('usage', message, { hint: `Usage: ${action.usage}` })
}

type Values = Record<string, string | boolean | (string | boolean)[] | undefined>

function readWords(command: string, options: Options, argv: readonly string[]): { values: Values; positionals: string[] } {
  const plain: string[] = []
  const words = argv.map((word) => (isText(word) ? `\u0000${plain.push(word) - 1}` : word))
  const restore = (word: string) => (word.startsWith('\u0000') ? (plain[Number(word.slice(1))] ?? '') : word)
  const config = Object.fromEntries(
    Object.entries(options).map(([name, { type, short, multiple }]) => [
      name,
      { type, ...(short ? { short } : {}), ...(multiple ? { multiple } : {}) },
    ]),
  )
  try {
    const { values, positionals } = parseArgs({ args: words, options: config, allowPositionals: true, strict: true })
    const back = Object.entries(values as Values).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map((one) => (typeof one === 'string' ? restore(one) : one)) : typeof value === 'string' ? restore(value) : value,
    ])
    return { values: Object.fromEntries(back), positionals: positionals.map(restore) }
  } catch (cause) {
    throw optionError(command, options, words, cause)
  }
}

function isText(word: string): boolean {
  return /^-[\d.]/.test(word) || (/^-.*\s/s.test(word) && !/^--[a-z][a-z-]*=/.test(word))
}

function optionError(command: string, options: Options, argv: readonly string[], cause: unknown): CommandError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  const end = argv.indexOf('--')
  const typed = (end === -1 ? argv : argv.slice(0, end)).filter((word) => word.startsWith('-') && word !== '-')
  const hint = `Run \`nuum help ${command}\`; text that begins with - goes after --.`
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const short = new Set(Object.values(options).map((option) => option.short))
    const known = (word: string) => (word.startsWith('--') ? Object.hasOwn(options, nameOf(word)) : short.has(word.slice(1, 2)))
    const unknown = typed.find((word) => !known(word)) ?? typed[0] ?? ''
    const bare = nameOf(unknown)
    return new CommandError('usage', `\`nuum ${command}\` knows no option ${unknown.split('=')[0]}.${near(bare, Object.keys(options), '--')}`, {
      hint,
    })
  }
  const message = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause)
  return new CommandError('usage', message.endsWith('.') ? message : `${message}.`, { hint })
}

const nameOf = (word: string) => word.replace(/^-+/, '').split('=')[0] ?? ''

/** ` Did you mean …?`, or nothing. */
export function near(typed: string, known: readonly string[], prefix = ''): string {
  const best = known.map((name) => ({ name, distance: distanceOf(typed.toLowerCase(), name) })).sort((a, b) => a.distance - b.distance)[0]
  const isPart = (name: string) => typed.length >= 3 && (name.startsWith(typed) || typed.startsWith(name))
  if (best === undefined || typed === '') return ''
  if (best.distance <= Math.max(1, Math.floor(Math.min(typed.length, best.name.length) / 3))) return ` Did you mean ${prefix}${best.name}?`
  const part = known.find(isPart)
  return part === undefined ? '' : ` Did you mean ${prefix}${part}?`
}

/** Edits (add, drop, change, swap neighbours) that make one word of the other. */
function distanceOf(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, place) => place)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (rows[i - 1]?.[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let least = Math.min(change, (rows[i - 1]?.[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, (rows[i - 2]?.[j - 2] ?? 0) + 1)
      row.push(least)
    }
    rows.push(row)
  }
  return rows[a.length]?.[b.length] ?? 0
}

export type FolderArg = { readonly path: string; readonly access?: 'ro' | 'rw'; readonly mine?: true }

/** `PATH[:ro|:rw][:mine]`, in any order. `resolve` makes the path absolute. */
export function parseFolder(word: string, resolve: (path: string) => string): FolderArg {
  let path = word
  let access: 'ro' | 'rw' | undefined
  let mine = false
  for (let tag = /:(ro|rw|mine)$/.exec(path); tag !== null; tag = /:(ro|rw|mine)$/.exec(path)) {
    path = path.slice(0, tag.index)
    if (tag[1] === 'mine') mine = true
    else access = tag[1] === 'ro' ? 'ro' : 'rw'
  }
  if (path === '') throw new CommandError('usage', `"${word}" names no folder.`, { hint: 'A folder is PATH, PATH:ro, PATH:mine or PATH:ro:mine.' })
  return { path: resolve(path), ...(access === undefined ? {} : { access }), ...(mine ? { mine: true } : {}) }
}

export function wholeNumber(name: string, text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined) return undefined
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= least && value <= most)) {
    throw new CommandError(
      'usage',
      `${name} is a whole number${most === Number.MAX_SAFE_INTEGER ? ` from ${least}` : ` from ${least} to ${most}`}, not "${text}".`,
    )
  }
  return value
}

export function seconds(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (!(value > 0)) throw new CommandError('usage', `${name} is a number of seconds, not "${text}".`)
  return value
}

export function oneOf<const T extends readonly string[]>(name: string, text: string | undefined, allowed: T): T[number] | undefined {
  if (text === undefined) return undefined
  const found = allowed.find((one) => one === text)
  if (found === undefined) throw new CommandError('usage', `${name} is one of ${allowed.join(', ')}, not "${text}".${near(text, allowed)}`)
  return found
}
