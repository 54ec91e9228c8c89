/**
 * Anthropic Messages: thinking. Blocks go back as they came or, all of a turn, not at all; on the newer models they are
 * bound to the model and to everything that stood before them.
 */
import { isObject, type JsonObject, objectOf, textOf } from '../json-access.ts'
import type { Refusal } from '../script.ts'
import { digestOf, openThinking, prefixesOf, type SignedThinking } from '../thinking-signature.ts'
import { bad } from './messages.ts'
import { type PlacedBlock, type Turn, turnsOf } from './messages-history.ts'
import type { StrictInput } from './strict.ts'

const bindingBeta = 'thinking-binding-controls-2026-08-01'

export function* thinkingRefusals(input: StrictInput): Generator<Refusal> {
  yield* config(input)
  const turns = turnsOf(input.body)
  const latest = turns.findLast((turn) => turn.role === 'assistant')
  const prefixAt = prefixesOf(input.body)
  for (const turn of turns) {
    const thinking = turn.blocks.filter((one) => one.type === 'thinking' || one.type === 'redacted_thinking')
    for (const one of thinking) yield* block({ input, turn, one, isLatest: turn === latest, prefixAt })
    if (turn === latest) yield* allOrNone(thinking)
  }
  yield* mustStart(input, turns, latest)
}

function* config({ body, model, headers }: StrictInput): Generator<Refusal> {
  if (body['thinking'] === undefined) return
  const thinking = objectOf(body['thinking'])
  const type = textOf(thinking['type'])
  if (!['adaptive', 'enabled', 'disabled', 'between_tools'].includes(type)) {
    yield bad(
      'thinking-config',
      `thinking: Input tag '${type}' found using 'type' does not match any of the expected tags: 'adaptive', 'disabled', 'enabled'`,
    )
  }
  const effort = textOf(objectOf(body['output_config'])['effort'])
  const refused =
    (model.thinking === 'adaptive-only' && (type === 'disabled' || type === 'enabled')) ||
    (model.thinking === 'adaptive' && (type === 'enabled' || (type === 'disabled' && (effort === 'xhigh' || effort === 'max'))))
  if (refused) {
    const message = `"thinking.type.${type}" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`
    yield bad('thinking-config', message)
  }
  if (model.thinking === 'budget' && type === 'adaptive') yield bad('thinking-config', 'adaptive thinking is not supported on this model')
  if (type === 'enabled') {
    const budget = Number(thinking['budget_tokens'])
    if (!Number.isInteger(budget)) yield bad('thinking-config', 'thinking.enabled.budget_tokens: Field required')
    else if (budget < 1024) yield bad('thinking-config', 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024')
    else if (budget >= Number(body['max_tokens'])) yield bad('thinking-config', '`max_tokens` must be greater than `thinking.budget_tokens`.')
  }
  if (thinking['block_binding'] !== undefined && !textOf(headers['anthropic-beta']).includes(bindingBeta)) {
    yield bad('unknown-field', `thinking.${type}.block_binding: Extra inputs are not permitted`)
  }
}

interface Placed {
  input: StrictInput
  turn: Turn
  one: PlacedBlock
  isLatest: boolean
  prefixAt: (index: number) => string
}

function* block(placed: Placed): Generator<Refusal> {
  const { input, one, isLatest } = placed
  const redacted = one.type === 'redacted_thinking'
  const field = redacted ? 'data' : 'signature'
  const sealed = one.block[field]
  if (sealed === undefined) yield bad('thinking-signature', `${one.at}.${one.type}.${field}: Field required`)
  if (!redacted && typeof one.block['thinking'] !== 'string') yield bad('thinking-signature', `${one.at}.thinking.thinking: Field required`)
  const signed = openThinking(sealed)
  if (!signed) {
    yield isLatest && sealed !== undefined && sealed !== ''
      ? modified(one)
      : bad('thinking-signature', `${one.at}: Invalid \`${field}\` in \`${one.type}\` block`)
    return
  }
  if (!redacted && signed.text !== digestOf(textOf(one.block['thinking']))) {
    yield isLatest ? modified(one) : bad('thinking-altered', `${one.at}: Invalid \`signature\` in \`thinking\` block`)
  }
  if (input.model.boundThinking && !dropsMismatch(input) && isElsewhere(signed, placed)) {
    const message = `${one.at}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`
    yield bad('thinking-bound', message)
  }
}

function modified(one: PlacedBlock): Refusal {
  const message = `${one.at}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`
  return bad('thinking-altered', message)
}

function dropsMismatch({ body }: StrictInput): boolean {
  const binding: JsonObject = objectOf(objectOf(body['thinking'])['block_binding'])
  return isObject(binding) && binding['prefix_mismatch_behavior'] === 'drop_block'
}

/** An answer continued after a pause was signed behind its own first half, hence two prefixes. */
function isElsewhere(signed: SignedThinking, { input, turn, one, prefixAt }: Placed): boolean {
  if (signed.model !== input.model.id) return true
  return signed.prefix !== prefixAt(one.message) && signed.prefix !== prefixAt(turn.first)
}

/** Leaving out some of a turn's thinking blocks, or changing their order, is a change of the turn. */
function* allOrNone(thinking: readonly PlacedBlock[]): Generator<Refusal> {
  const signed = thinking.map((one) => openThinking(one.block['signature'] ?? one.block['data']))
  for (const [index, one] of thinking.entries()) {
    const here = signed[index]
    if (!here) return
    const starts = here.place === 0
    const follows = index > 0 && signed[index - 1]?.place === here.place - 1
    const next = signed[index + 1]
    const ends = here.place === here.of - 1 || next?.place === here.place + 1
    if (!(starts || follows) || !ends) yield modified(one)
  }
}

function* mustStart({ body }: StrictInput, turns: readonly Turn[], latest: Turn | undefined): Generator<Refusal> {
  if (objectOf(body['thinking'])['type'] !== 'enabled' || !latest) return
  const looping = turns.at(-1)?.blocks.some((one) => one.type === 'tool_result')
  const first = latest.blocks[0]
  if (!looping || !first || first.type === 'thinking' || first.type === 'redacted_thinking') return
  const message = `${first.at}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`
  yield bad('thinking-altered', message)
}
