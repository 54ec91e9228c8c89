/**
 * What is said of a command line before it runs. Pure.
 * 1. A command that names `nuum` or a path in its data folder is refused, never asked. 2. Without a sandbox, and in mode `ask`, each command is asked for, word for word.
 * This is a courtesy to the model, not a wall: what a command can reach is decided by the mounts.
 */
import type { Zones } from '@nuum/protocol'

export type CommandVerdict = { readonly verdict: 'allow' } | { readonly verdict: 'ask' | 'deny'; readonly reason: string }

export type CommandPlaces = {
  readonly sandboxed: boolean
}

/** `nuum` where a command word stands: first, after a separator, or behind a program that runs another. */
const RUNS_NUUM =
  /(?:^|[;&|({`\n!]|\b(?:then|do|else|exec|command|eval|env|sudo|nohup|time|xargs|setsid|npx|bunx|exec --|npm (?:exec|x)(?: --)?|node|bash|sh)\s)\s*(?:\w+=\S*\s+)*(?:-\S+\s+)*["'\\]*(?:[^\s"';&|]*\/)?n["'\\]*u["'\\]*u["'\\]*m(?:\.mjs)?["']?(?=$|[\s;&|)}`<>])/
const NAMES_DATA_FOLDER = /(?:~|\$\{?HOME\}?|\/(?:root|home\/[^\s/]+|Users\/[^\s/]+))\/\.nuum(?=$|[\s/;&|)`'"<>])|\$\{?NUUM_HOME\b/

export function judgeCommand(command: string, zones: Zones, places: CommandPlaces): CommandVerdict {
  if (RUNS_NUUM.test(command))
    return { verdict: 'deny', reason: 'Agents can’t run nuum itself; use the tools you have for memory, messages and settings.' }
  if (namesClosedFolder(command, zones))
    return { verdict: 'deny', reason: 'The command names a folder that belongs to Nuum or to another agent; it stays closed.' }
  if (!places.sandboxed && zones.mode === 'read-only')
    return {
      verdict: 'deny',
      reason: 'This agent may only read, and without a sandbox no command can be held to that. Use read, list, glob and grep.',
    }
  if (!places.sandboxed)
    return {
      verdict: 'ask',
      reason:
        'No sandbox works on this machine, so each command is asked for. It runs with your rights: it can read and change whatever you can, Nuum’s own records and keys included.',
    }
  if (zones.mode === 'ask') return { verdict: 'ask', reason: 'This agent asks before each command.' }
  return { verdict: 'allow' }
}

/** A path in the agent's own rooms may be named, also where the room lies inside the data folder. */
function namesClosedFolder(command: string, zones: Zones): boolean {
  const withoutOwnRooms = zones.rooms.reduce((text, room) => text.replaceAll(room.path, '<room>'), command)
  if (NAMES_DATA_FOLDER.test(withoutOwnRooms)) return true
  return zones.denied.some(
    (folder) => folder !== '/' && folder !== '' && new RegExp(`${escaped(folder)}(?=$|[\\s/;&|)\`'"<>])`).test(withoutOwnRooms),
  )
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
