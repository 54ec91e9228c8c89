/** What puts a wake of the person into an agent's queue: checked first, durable before the answer, then run as soon as it can be. */
import { type Attachment, type Chain, NuumError, RunId, type Span, type WakeId } from '@nuum/protocol'
import type { App } from '../app.ts'
import type { Room } from '../agents/room.ts'
import { messagesOf } from '../context/items.ts'
import { type FileKind, kindOfFile, MAX_FILE_BYTES } from '../storage/file-kinds.ts'
import { assertWritable } from '../server/writable.ts'

const MAX_TEXT_BYTES = 700_000
const MAX_FILES = 20
const MAX_CONVERSATION_FILES_BYTES = 20 * 1024 * 1024 // in base64 a third more, and providers take 32 MB a request

export type PersonMessage = {
  readonly text: string
  readonly spans?: readonly Span[] | undefined
  readonly attachments?: readonly Attachment[] | undefined
  readonly remember?: false | undefined
  readonly mode?: 'queue' | 'steer' | undefined
  readonly tz?: string | undefined
}

export async function readyRoom(app: App, ref: string): Promise<Room> {
  assertWritable(app)
  const room = app.agents.find(ref)
  if (room.profile.archived)
    throw new NuumError('conflict', `${room.profile.name} is archived.`, { hint: 'Bring it back first: nuum agents restore NAME.' })
  if (room.broken !== null && room.run === null) await app.mend(room)
  if (room.broken !== null)
    throw new NuumError(room.broken.kind, room.broken.message, room.broken.hint === undefined ? {} : { hint: room.broken.hint })
  return room
}

/** Throws before anything is written. */
export async function checkMessage(app: App, room: Room, { text, spans, attachments }: PersonMessage) {
  const clean = text.toWellFormed()
  const files = await checkFiles(app, room, attachments ?? [])
  if (clean.trim() === '' && files.length === 0) throw new NuumError('invalid', 'The message is empty.', { field: 'text' })
  if (Buffer.byteLength(clean) > MAX_TEXT_BYTES)
    throw new NuumError('invalid', `The message is longer than ${MAX_TEXT_BYTES / 1000} kB.`, {
      hint: 'Save it as a file in a folder that the agent may read, and name the file.',
      field: 'text',
    })
  return { text: clean, spans: checkSpans(spans ?? [], clean), attachments: files }
}

export async function queueMessage(app: App, room: Room, message: PersonMessage): Promise<WakeId> {
  const { remember, mode } = message
  return queueWake(app, room, {
    kind: 'user',
    ...(await checkMessage(app, room, message)),
    tz: message.tz ?? defaultZone(app),
    ...(remember === undefined ? {} : { remember }),
    ...(mode === 'steer' ? { steer: true as const } : {}),
  })
}

/** A run without a message of its own. Asked for twice it is still one. */
export async function queueRun(app: App, room: Room, kind: 'resume' | 'retry', resumes?: string): Promise<WakeId> {
  const waiting = [...room.queue().values()].find(({ wake }) => wake.kind === kind)
  if (waiting !== undefined) return waiting.wake.wakeId
  const of = resumes === undefined ? {} : { resumes: RunId.parse(resumes) }
  return queueWake(app, room, { kind, text: '', spans: [], attachments: [], tz: defaultZone(app), ...of })
}

type Queued = {
  readonly kind: 'user' | 'resume' | 'retry'
  readonly text: string
  readonly spans: Span[]
  readonly attachments: Attachment[]
  readonly tz: string
  readonly remember?: false
  readonly steer?: true
  readonly resumes?: RunId
}

async function queueWake(app: App, room: Room, wake: Queued): Promise<WakeId> {
  const wakeId = app.newId('k')
  const chain: Chain = { id: app.newId('c'), depth: 0 }
  await room.appendWake({ type: 'wake.queued', wakeId, author: 'person', chain, ...wake })
  app.changed(room)
  app.scheduler.mended() // the person is there: what was held is looked at anew
  return wakeId
}

const defaultZone = (app: App): string => app.env['TZ'] ?? Intl.DateTimeFormat().resolvedOptions().timeZone

/** What a client says of a file is checked against its bytes: a wrong kind would be refused by the provider again and again. */
async function checkFiles(app: App, room: Room, files: readonly Attachment[]): Promise<Attachment[]> {
  if (files.length === 0) return []
  if (files.length > MAX_FILES) throw new NuumError('invalid', `A message takes at most ${MAX_FILES} files.`, { field: 'attachments' })
  const checked: Attachment[] = []
  for (const { name, blob } of files) {
    const bytes = await app.blobs.bytes(blob, MAX_FILE_BYTES)
    const mime: FileKind | null = bytes === null ? null : kindOfFile(bytes)
    if (bytes === null || mime === null) throw new NuumError('not_found', `The file ${name} is not there; attach it again.`, { field: 'attachments' })
    checked.push({ name: name.toWellFormed(), mime, blob, sizeBytes: bytes.length })
  }
  const said = messagesOf(await room.conversation()).flatMap((item) => (item.role === 'user' ? (item.attachments ?? []) : []))
  if ([...said, ...checked].reduce((sum, one) => sum + one.sizeBytes, 0) > MAX_CONVERSATION_FILES_BYTES)
    throw new NuumError('invalid', 'With these files the conversation holds more than 20 MB of files, more than a model takes at once.', {
      hint: 'Start afresh (/fresh), go back to before earlier files, or attach smaller ones.',
      field: 'attachments',
    })
  return checked
}

function checkSpans(spans: readonly Span[], text: string): Span[] {
  for (const { start, end } of spans)
    if (start > end || end > text.length)
      throw new NuumError('invalid', `A span from ${start} to ${end} does not fit a text of ${text.length} characters.`, { field: 'spans' })
  return [...spans]
}
