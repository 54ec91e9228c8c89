/** Random lives of one agent: what a person, a model, a crash and a damaged disk may do to its transcript, as plain values. */
import fc from 'fast-check'

export type PartSpec =
  | { readonly kind: 'text'; readonly text: string; readonly replay?: unknown }
  | { readonly kind: 'reasoning'; readonly text: string; readonly replay?: unknown }
  | {
      readonly kind: 'call'
      readonly name: string
      readonly replay?: unknown
      readonly args: string
      readonly wireId: string
      readonly output: string
      readonly ok: boolean
    }

export type StepSpec = {
  readonly parts: readonly PartSpec[]
  readonly stop: 'whole' | 'partial' | 'refused' | 'filtered' | 'length'
  readonly tries: number // how often the same request is sent before it is answered
  readonly reversed: boolean // results arrive in the opposite order of the calls
  readonly answered: number // share of the calls that get a result before something happens, in quarters
  readonly crash: 'no' | 'host' | 'kernel'
  readonly junk: boolean // lines that a newer version or a bad disk left in between
  readonly steer: string | null // a message of the person in mid-run
}

export type ActionSpec =
  | {
      readonly do: 'run'
      readonly wake: 'user' | 'agent' | 'work' | 'schedule' | 'resume' | 'retry'
      readonly text: string
      readonly tz: string
      readonly steps: readonly StepSpec[]
    }
  | { readonly do: 'retry'; readonly steps: readonly StepSpec[] }
  | { readonly do: 'restart' | 'model' | 'persona' | 'tools' | 'junk' | 'rot' | 'branch' | 'fresh' | 'repair'; readonly at: number }

const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('', ' ', '\n\n', 'Hello  ', '\ud800', '你好🦀', '"}]}', '\u2028', 'a\u0000b', 'x'.repeat(300)) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 16 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
)
const args = fc.oneof(fc.constantFrom('', '{}', '{"a": 1}', '{"q"', '[]', 'null', '{"x":"\\ud99c"}', '{"x":"\ud83d"}'), fc.json({ maxDepth: 1 }))
const wireId = fc.constantFrom('', 'call_1', 'call_1', 'run:0', 'toolu_01', 'a'.repeat(60), 'Ab3Ab3Ab3', 'e_00000000000000000000000002_0', '\ud800')
const replay = fc.constantFrom<unknown>(
  undefined,
  null,
  { key: 'reasoning_content' },
  { key: 'reasoning', details: [{ type: 'reasoning.text', text: 'x' }] },
  { type: 'thinking', thinking: 'x', signature: 'sig' },
  { type: 'thinking', thinking: 'x', signature: 'sig' },
  { type: 'thinking', thinking: 'x', signature: '' },
  { type: 'redacted_thinking', data: 'Zm' },
  { key: 'thinking' },
  { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'gAAA' },
  { id: 'rs_2', type: 'reasoning', summary: [], encrypted_content: 'gAAA' },
  { id: 'rs_3', type: 'reasoning', summary: [], encrypted_content: 'gAAA' },
  'text',
)
const itemReplay = fc.constantFrom<unknown>(undefined, undefined, { id: 'fc_1' }, { id: 'fc_2' }, { id: 'msg_1', phase: 'commentary' }, { id: 'x' })

const part: fc.Arbitrary<PartSpec> = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), text, replay: itemReplay }),
  fc.record({ kind: fc.constant('reasoning' as const), text, replay }),
  fc.record({
    kind: fc.constant('call' as const),
    name: fc.constantFrom('read', 'shell', 'x y', '', '日'),
    args,
    wireId,
    replay: itemReplay,
    output: text,
    ok: fc.boolean(),
  }),
)

const mostly = <T>(usual: T, ...rare: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, { weight: 2, arbitrary: fc.constantFrom(usual, ...rare) })

const step: fc.Arbitrary<StepSpec> = fc.record({
  parts: fc.array(part, { maxLength: 4 }),
  stop: mostly<StepSpec['stop']>('whole', 'partial', 'refused', 'filtered', 'length'),
  tries: mostly(1, 2, 3),
  reversed: fc.boolean(),
  answered: mostly(4, 0, 1, 2, 3),
  crash: mostly<StepSpec['crash']>('no', 'host', 'kernel'),
  junk: mostly(false, true),
  steer: fc.option(text, { freq: 6 }),
})

const run: fc.Arbitrary<ActionSpec> = fc.record({
  do: fc.constant('run' as const),
  wake: mostly<'user' | 'agent' | 'work' | 'schedule' | 'resume'>('user', 'agent', 'work', 'schedule', 'resume'),
  text,
  tz: fc.constantFrom('Europe/Berlin', 'Asia/Shanghai', 'No/Where', ''),
  steps: fc.array(step, { minLength: 1, maxLength: 4 }),
})

const retry: fc.Arbitrary<ActionSpec> = fc.record({ do: fc.constant('retry' as const), steps: fc.array(step, { minLength: 1, maxLength: 2 }) })

const between: fc.Arbitrary<ActionSpec> = fc.record({
  do: fc.constantFrom(
    'restart' as const,
    'restart' as const,
    'model' as const,
    'persona' as const,
    'tools' as const,
    'junk' as const,
    'rot' as const,
    'branch' as const,
    'fresh' as const,
    'repair' as const,
  ),
  at: fc.nat(1000),
})

export const history: fc.Arbitrary<readonly ActionSpec[]> = fc.array(
  fc.oneof({ weight: 6, arbitrary: run }, { weight: 4, arbitrary: between }, { weight: 1, arbitrary: retry }),
  {
    minLength: 1,
    maxLength: 9,
  },
)
