/**
 * The prompt caches of the providers, computed from earlier requests.
 * 1. Anthropic reads and writes at marks only, looks back 20 blocks from each, and counts cached tokens beside the input.
 * 2. OpenAI reads the longest common prefix in steps of 128 tokens. 3. DeepSeek reads whole stored units: the end of an
 * earlier request, or a prefix that two requests were already seen to share.
 */
import type { JsonObject } from './json-access.ts'
import { textOf } from './json-access.ts'
import { prefixDigests, promptElements, tokensOf, type PromptElement } from './prompt-elements.ts'
import type { Dialect, ScriptedModel, Wire } from './script.ts'

export interface PromptTokens {
  input: number
  cacheRead: number
  cacheWrite: number
}

export interface PromptCache {
  account(wire: Wire, dialect: Dialect, model: ScriptedModel, body: JsonObject, scope: string): PromptTokens
}

const lookback = 20
const openaiStep = 128

interface Prompt {
  digests: string[]
  upTo: number[] // tokens in each prefix
  minimum: number
}

function promptOf(seed: string, elements: readonly PromptElement[], minimum: number): Prompt {
  let chars = 0
  return { digests: prefixDigests(seed, elements), upTo: [0, ...elements.map((one) => Math.ceil((chars += one.chars) / 4))], minimum }
}

const at = (list: readonly number[], index: number): number => list[index] ?? 0

export function createPromptCache(): PromptCache {
  const marks = new Set<string>()
  const seen = new Set<string>()
  const units = new Set<string>()

  function anthropic(prompt: Prompt, elements: readonly PromptElement[]): PromptTokens {
    const positions = elements.flatMap((one, index) => (one.marked && at(prompt.upTo, index + 1) >= prompt.minimum ? [index + 1] : []))
    let read = 0
    for (const position of positions) {
      for (let index = position; index > Math.max(0, position - lookback); index--) {
        if (!marks.has(prompt.digests[index] ?? '')) continue
        read = Math.max(read, index)
        break
      }
    }
    for (const position of positions) marks.add(prompt.digests[position] ?? '')
    const total = at(prompt.upTo, elements.length)
    const cacheRead = at(prompt.upTo, read)
    const cacheWrite = Math.max(0, at(prompt.upTo, positions.at(-1) ?? 0) - cacheRead)
    return { input: total - cacheRead - cacheWrite, cacheRead, cacheWrite }
  }

  function longestIn(known: ReadonlySet<string>, prompt: Prompt): number {
    for (let index = prompt.digests.length - 1; index > 0; index--) if (known.has(prompt.digests[index] ?? '')) return index
    return 0
  }

  function openai(prompt: Prompt): PromptTokens {
    const shared = at(prompt.upTo, longestIn(seen, prompt))
    const cacheRead = shared < prompt.minimum ? 0 : Math.floor(shared / openaiStep) * openaiStep
    for (const digest of prompt.digests) seen.add(digest)
    return { input: at(prompt.upTo, prompt.upTo.length - 1) - cacheRead, cacheRead, cacheWrite: 0 }
  }

  function deepseek(prompt: Prompt): PromptTokens {
    const stored = at(prompt.upTo, longestIn(units, prompt))
    const cacheRead = stored < prompt.minimum ? 0 : stored
    units.add(prompt.digests[longestIn(seen, prompt)] ?? '')
    units.add(prompt.digests.at(-1) ?? '')
    for (const digest of prompt.digests) seen.add(digest)
    return { input: at(prompt.upTo, prompt.upTo.length - 1) - cacheRead, cacheRead, cacheWrite: 0 }
  }

  return {
    account(wire, dialect, model, body, scope) {
      const elements = promptElements(wire, body)
      const isolation = [textOf(body['prompt_cache_key']), textOf(body['user_id'])].join('\n')
      const prompt = promptOf(
        [wire, dialect, model.id, scope, isolation].join('\n'),
        elements,
        model.minCacheTokens ?? (wire === 'messages' ? 512 : dialect === 'deepseek' ? 64 : 1024),
      )
      if (wire === 'messages') return anthropic(prompt, elements)
      if (wire === 'ollama') return { input: tokensOf(elements), cacheRead: 0, cacheWrite: 0 }
      return dialect === 'deepseek' ? deepseek(prompt) : openai(prompt)
    },
  }
}
