/**
 * The built-in guide: a deterministic model without any AI behind the same interface as every other, so that the whole loop is real.
 * 1. Same request, same answer. 2. It says what it is in its first answer. 3. It calls only tools that the request offers, one at a time.
 */
import type { AssistantItem, CallUsage, ContextRequest, ToolItem } from '@nuum/protocol'
import type { Clock } from '../../clock.ts'
import type { FinalPart, Model, ModelEvent } from '../model.ts'
import { type Action, type Language, languageOf, parseIntent, plainText } from './intents.ts'
import { fill, GUIDE_TEXTS, type GuideTexts } from './texts.ts'

const PIECES = 24
const PAUSE_MS = 18
const MIN_PIECE_CHARS = 4
const MAX_SHOWN_CHARS = 4_000

const NO_USAGE: CallUsage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }
const TOOL_OF: Readonly<Record<Action['kind'], string>> = { list: 'list', read: 'read', write: 'write', run: 'shell', search: 'grep' }

export function createGuideModel(clock: Pick<Clock, 'sleep'>): Model {
  return {
    async *stream({ request, language }, signal) {
      const parts = answer(request, language)
      const sent: FinalPart[] = []
      for (const [at, part] of parts.entries()) {
        const whole = part.type === 'call' ? part.args : part.text
        let said = ''
        for (const piece of piecesOf(whole)) {
          await clock.sleep(PAUSE_MS, signal)
          if (signal.aborted) return yield stopped(said === '' || part.type === 'call' ? sent : [...sent, { type: 'text', text: said }])
          said += piece
          yield { type: 'delta', part: at, kind: part.type, text: piece, ...(part.type === 'call' ? { name: part.name } : {}) }
        }
        sent.push(part)
      }
      yield { type: 'end', parts, stop: parts.some((part) => part.type === 'call') ? 'tools' : 'stop', usage: NO_USAGE }
    },
  }
}

/** What the guide says to a request. Pure. */
export function answer(request: ContextRequest, own?: string): FinalPart[] {
  const language = languageOfRequest(request, own)
  const texts = GUIDE_TEXTS[language]
  const last = request.messages.at(-1)
  if (last?.role === 'tool') return [{ type: 'text', text: summarise(request, last, language) }]
  const said = last?.role === 'user' ? last.text : ''
  const parts = respond(request, said, texts)
  const isFirst = !request.messages.some((item) => item.role === 'assistant')
  return isFirst ? introduced(parts, texts) : parts
}

function respond(request: ContextRequest, said: string, texts: GuideTexts): FinalPart[] {
  const intent = inGrantedFolder(parseIntent(said), request)
  if (!isAction(intent)) return [{ type: 'text', text: texts.talk[intent.kind] }]
  const tool = TOOL_OF[intent.kind]
  if (!request.tools.some(({ name }) => name === tool)) return [{ type: 'text', text: fill(texts.noTool, { tool }) }]
  return [
    { type: 'text', text: fill(texts.doing[intent.kind], wordsOf(intent, texts)) },
    { type: 'call', wireId: `guide_${callsSoFar(request)}`, name: tool, args: JSON.stringify(argsOf(intent)) },
  ]
}

function introduced(parts: readonly FinalPart[], { intro }: GuideTexts): FinalPart[] {
  const [first, ...rest] = parts
  return first?.type === 'text' ? [{ type: 'text', text: `${intro}\n\n${first.text}` }, ...rest] : [{ type: 'text', text: intro }, ...parts]
}

/** "List the files" means the folder that the person granted, where there is one: what the agent keeps for itself is rarely meant. */
function inGrantedFolder(intent: ReturnType<typeof parseIntent>, { system }: ContextRequest): ReturnType<typeof parseIntent> {
  if (intent.kind !== 'list' || intent.path !== null) return intent
  const granted = /^- (\/.+) \((?:read and write|read only)\)$/m.exec(system.find((block) => block.name === 'workspace')?.text ?? '')?.[1]
  return granted === undefined ? intent : { ...intent, path: granted }
}

function isAction(intent: ReturnType<typeof parseIntent>): intent is Action {
  return Object.hasOwn(TOOL_OF, intent.kind)
}

function argsOf(action: Action): Record<string, string> {
  const at = 'path' in action && action.path !== null ? { path: action.path } : {}
  if (action.kind === 'write') return { ...at, content: action.content }
  if (action.kind === 'run') return { command: action.command }
  if (action.kind === 'search') return { pattern: action.text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), ...at } // the words themselves, not a pattern
  return at
}

function wordsOf(action: Action, texts: GuideTexts): Record<string, string> {
  if (action.kind === 'run') return { command: action.command }
  const path = action.path ?? texts.doing.here
  const shown = action.path !== null && (action.kind === 'list' || action.kind === 'search') ? `\`${path}\`` : path
  if (action.kind === 'search') return { path: shown, text: action.text }
  return action.kind === 'write' ? { path, count: String([...action.content].length) } : { path: shown }
}

/** Says what the results hold. What was asked is read from the message before them, so that nothing has to be remembered. */
function summarise(request: ContextRequest, item: ToolItem, language: Language): string {
  const texts = GUIDE_TEXTS[language]
  const asked = request.messages.findLast((message): message is AssistantItem => message.role === 'assistant')
  return item.results
    .map((result) => {
      if (!result.ok) return `${texts.failed}\n\n${fenced(result.text, texts)}`
      const call = asked?.parts.find((part) => part.type === 'call' && part.callId === result.callId)
      const args = call?.type === 'call' ? stringArgs(call.args) : {}
      if (result.name === 'write') return fill(texts.done.write, { path: args['path'] ?? '', count: String([...(args['content'] ?? '')].length) })
      return `${headOf(result.name, args, texts)}\n\n${fenced(result.text, texts)}`
    })
    .join('\n\n')
}

function headOf(tool: string, args: Readonly<Record<string, string>>, { done, doing }: GuideTexts): string {
  const path = args['path']
  switch (tool) {
    case 'list':
      return fill(done.list, { path: path === undefined ? doing.here : `\`${path}\`` })
    case 'read':
      return fill(done.read, { path: path ?? '' })
    case 'shell':
      return done.run
    case 'grep':
      return fill(done.search, { text: (args['pattern'] ?? '').replace(/\\([.*+?^${}()|[\]\\])/g, '$1') })
    default:
      return done.other
  }
}

function stringArgs(raw: string): Record<string, string> {
  try {
    const value: unknown = JSON.parse(raw)
    if (typeof value !== 'object' || value === null) return {}
    return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
  } catch {
    return {}
  }
}

/** A code block that its content can't close. */
function fenced(text: string, texts: GuideTexts): string {
  const points = [...text.trimEnd()]
  const shown = points.slice(0, MAX_SHOWN_CHARS).join('')
  const longest = Math.max(2, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  const note = points.length > MAX_SHOWN_CHARS ? `\n\n${fill(texts.cutNote, { count: String(MAX_SHOWN_CHARS) })}` : ''
  return `${fence}text\n${shown}\n${fence}${note}`
}

function languageOfRequest({ messages }: ContextRequest, own: string | undefined): Language {
  const said = messages.findLast((item) => item.role === 'user' && !item.text.startsWith('[Nuum]'))
  return languageOf(said?.role === 'user' ? plainText(said.text) : '', own)
}

function callsSoFar({ messages }: ContextRequest): number {
  return messages.reduce((sum, item) => sum + (item.role === 'assistant' ? item.parts.filter((part) => part.type === 'call').length : 0), 0)
}

function piecesOf(text: string): string[] {
  const points = [...text]
  const size = Math.max(MIN_PIECE_CHARS, Math.ceil(points.length / PIECES))
  return Array.from({ length: Math.ceil(points.length / size) }, (_, at) => points.slice(at * size, (at + 1) * size).join(''))
}

function stopped(parts: readonly FinalPart[]): ModelEvent {
  return { type: 'failed', failure: { kind: 'aborted', message: 'Stopped.', retryable: false }, parts, usage: NO_USAGE }
}
