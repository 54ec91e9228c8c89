/**
 * The Markdown files of one scope on disk: what people changed in them becomes commands, what the journal says is written back.
 * A file is read only when its version changed; it is written whole and at once, and never over an edit that was not read.
 */
import type { Scope } from '../journal/fact.ts'
import type { MemoryState } from '../journal/state.ts'
import type { Command } from '../policy/command.ts'
import { diffFiles, type FaceFile } from '../markdown/diff.ts'
import { type ParsedFile, parseFile } from '../markdown/parse.ts'
import { patchFile } from '../markdown/patch.ts'
import { keyOf } from '../text/normalise.ts'
import { faceOf, type FaceLine, PROFILE } from '../markdown/render.ts'

/** Paths are relative to the memory folder: `profile.md`, `log/2026-11.md`. */
export interface FacePort {
  /** `profile.md` and the files under `log/` that are there. */
  list(): Promise<readonly string[]>
  /** Changes whenever the bytes do (time and size, for instance); `null` where there is no file. */
  version(path: string): Promise<string | null>
  read(path: string): Promise<Uint8Array | null>
  /** Whole or not at all. */
  write(path: string, bytes: Uint8Array): Promise<void>
}

export interface Face {
  /** What people did since the files were last looked at. */
  edits(state: MemoryState): Promise<{ readonly commands: readonly Command[]; readonly isChanged: boolean }>
  /** Writes what differs; `false` where an edit came in between and has to be read first. */
  project(state: MemoryState): Promise<boolean>
  /** A line that could not be taken: it stays in its file, and why is told. */
  keep(text: string, why: string): void
  problems(): readonly string[]
  /** Ids that stand in the files now. */
  shownIds(): Promise<ReadonlySet<string>>
}

interface Known {
  readonly version: string | null
  readonly head: number
  readonly base: readonly FaceLine[]
}

const FACE_PATH = /^(?:profile\.md|log\/\d{4}-\d{2}\.md)$/u

export function createFace(scope: Scope, port: FacePort, tz: string, stateAt: (seq: number) => Promise<MemoryState>): Face {
  const known = new Map<string, Known>()
  let problems: readonly string[] = []
  const kept = new Set<string>()

  const paths = async () => (await port.list()).filter((path) => FACE_PATH.test(path))

  async function load(path: string, state: MemoryState): Promise<FaceFile | null> {
    const bytes = await port.read(path)
    if (bytes === null || bytes.length === 0) return null
    const parsed = parseFile(bytes)
    return { path, parsed, base: await baseOf(path, parsed, state) }
  }

  async function baseOf(path: string, parsed: ParsedFile, state: MemoryState): Promise<readonly FaceLine[] | null> {
    const { head } = parsed
    if (head === null || head > state.seq || (parsed.scope !== null && parsed.scope !== scope)) return null
    const held = known.get(path)
    if (held && held.head === head) return held.base
    const then = head === state.seq ? state : await stateAt(head)
    return faceOf(then, tz).filter(({ file }) => file === path)
  }

  async function edits(state: MemoryState): Promise<{ commands: readonly Command[]; isChanged: boolean }> {
    const changed: string[] = []
    for (const path of await paths()) if ((await port.version(path)) !== known.get(path)?.version) changed.push(path)
    if (changed.length === 0) return { commands: [], isChanged: false }
    const files: FaceFile[] = []
    for (const path of await paths()) {
      const version = await port.version(path)
      const file = await load(path, state)
      known.set(path, { version, head: file?.parsed.head ?? -1, base: file?.base ?? [] })
      if (file) files.push(file)
    }
    kept.clear()
    const diff = diffFiles(state, scope, files)
    problems = diff.problems
    return { commands: diff.commands, isChanged: true }
  }

  async function project(state: MemoryState): Promise<boolean> {
    const face = faceOf(state, tz)
    const wanted = new Set([PROFILE, ...face.map(({ file }) => file), ...(await paths())])
    for (const path of [...wanted].sort()) {
      const version = await port.version(path)
      if (version !== null && version !== known.get(path)?.version) return false
      const bytes = version === null ? null : await port.read(path)
      const patched = patchFile(scope, state.seq, path, bytes === null || bytes.length === 0 ? null : parseFile(bytes), face, kept)
      if (patched !== null) {
        if ((await port.version(path)) !== version) return false
        await port.write(path, patched)
        known.set(path, { version: await port.version(path), head: state.seq, base: face.filter(({ file }) => file === path) })
      }
    }
    return true
  }

  async function shownIds(): Promise<ReadonlySet<string>> {
    const ids = new Set<string>()
    for (const path of await paths()) for (const { id } of parseFile((await port.read(path)) ?? new Uint8Array()).lines) if (id !== null) ids.add(id)
    return ids
  }

  function keep(text: string, why: string): void {
    kept.add(keyOf(text))
    problems = [...problems, `"${Array.from(text).slice(0, 40).join('')}…" was not taken and stays as it is. ${why}`]
  }

  return { edits, project, keep, problems: () => problems, shownIds }
}
