/** Conversations for the fake host: a rich one that is already over, and answers that stream. */
import type { EventId, RunId } from '@nuum/protocol'
import type { FakeAgent, FakeHost } from './fake-host.ts'

export type Step = {
  readonly text?: string
  readonly call?: {
    readonly name: string
    readonly args: string
    readonly result: string
    readonly ok?: boolean
    readonly meta?: Record<string, unknown>
  }
}

export const RICH_ANSWER = `Here is what I found.

## Findings

1. The build takes **41 s**, of which 28 s are type checks.
2. \`tsconfig.json\` has \`skipLibCheck: false\`; see the [compiler options](https://www.typescriptlang.org/tsconfig).
   - a nested point with a [bad link](javascript:alert(1))
   - another with ~~struck~~ text

\`\`\`ts
export function foldBoard(board: Board, event: TaskEvent): Board {
  return board // ${'a long line that has to scroll sideways rather than wrap '.repeat(2)}
}
\`\`\`

| part | before | after |
|---|---:|---:|
| types | 28 s | 3 s |
| bundle | 9 s | 1.2 s |

> Measured three times, the median is shown.

![chart](http://127.0.0.1:9/p.png?d=secret) and <img src=x onerror="document.title='pwned'"> stay inert.

- [x] measured
- [ ] published

مرحبا \`./run.sh -v\` هذا سطر بالعربية.
`

let counter = 0
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

export function startRun(host: FakeHost, agent: FakeAgent, at?: string): RunId {
  const runId = host.newId('r')
  host.append(
    agent,
    { type: 'run.started', runId, wakeIds: [], kind: 'user', scope: 'direct', chain: { id: host.newId('c'), depth: 0 }, model: agent.view.model },
    at,
  )
  return runId
}

export function say(host: FakeHost, agent: FakeAgent, text: string, at?: string): void {
  host.append(
    agent,
    { type: 'user.message', wakeId: host.newId('k'), text, author: 'person', tz: 'UTC', chain: { id: host.newId('c'), depth: 0 } },
    at,
  )
}

/** One model step in the log, with the results of its calls. */
export function answer(
  host: FakeHost,
  agent: FakeAgent,
  runId: RunId,
  n: number,
  steps: readonly Step[],
  more: { reasoning?: string; at?: string } = {},
): void {
  const id = host.newId('e')
  const parts: unknown[] = more.reasoning === undefined ? [] : [{ type: 'reasoning', text: more.reasoning }]
  let calls = 0
  for (const step of steps) {
    if (step.text !== undefined) parts.push({ type: 'text', text: step.text })
    if (step.call) parts.push({ type: 'call', callId: `${id}.${calls++}`, wireId: `w${counter++}`, name: step.call.name, args: step.call.args })
  }
  host.append(agent, { type: 'assistant.message', id, runId, n, parts, stop: calls > 0 ? 'tools' : 'stop', model: agent.view.model }, more.at)
  steps
    .filter((step) => step.call)
    .forEach((step, place) => {
      const { call } = step
      if (call && call.result !== '…')
        host.append(
          agent,
          {
            type: 'tool.result',
            runId,
            callId: `${id as EventId}.${place}`,
            name: call.name,
            ok: call.ok ?? true,
            text: call.result,
            ms: 420 + place * 1900,
            origin: 'own',
            meta: call.meta ?? {},
          },
          more.at,
        )
    })
}

export const endRun = (host: FakeHost, agent: FakeAgent, runId: RunId, more: Record<string, unknown> = {}, at?: string): void =>
  void host.append(agent, { type: 'run.ended', runId, status: 'done', ...more }, at)

export function richConversation(host: FakeHost, agent: FakeAgent): void {
  const yesterday = new Date(Date.now() - 86_400_000).toISOString()
  say(host, agent, 'Why is the build slow? Look at it, please.', yesterday)
  let runId = startRun(host, agent, yesterday)
  answer(
    host,
    agent,
    runId,
    1,
    [
      { text: 'I’ll look at the configuration and measure a build.' },
      { call: { name: 'read', args: '{"path":"tsconfig.json"}', result: '{ "compilerOptions": { "skipLibCheck": false } }' } },
      { call: { name: 'grep', args: '{"pattern":"skipLibCheck","path":"packages"}', result: 'packages/ui/tsconfig.json:3:  "skipLibCheck": false' } },
      {
        call: {
          name: 'shell',
          args: '{"command":"npm run build 2>&1 | tail -5"}',
          result: '\u001b[32m✓\u001b[0m built in 41.2s',
          meta: { exitCode: 0 },
        },
      },
    ],
    { reasoning: 'The person wants a cause, not a guess. I should measure first.', at: yesterday },
  )
  answer(host, agent, runId, 2, [{ text: RICH_ANSWER }], { at: yesterday })
  endRun(host, agent, runId, {}, yesterday)
  say(host, agent, 'Fix it then.\n\n```json\n{ "skipLibCheck": true }\n```')
  runId = startRun(host, agent)
  answer(host, agent, runId, 1, [
    {
      call: {
        name: 'edit',
        args: '{"path":"tsconfig.json","old":"false","new":"true"}',
        result: 'Changed 1 line.',
        meta: { diff: '--- a/tsconfig.json\n+++ b/tsconfig.json\n@@ -1,3 +1,3 @@\n {\n-  "skipLibCheck": false\n+  "skipLibCheck": true\n }' },
      },
    },
    { call: { name: 'shell', args: '{"command":"npm test"}', result: 'FAILED test_build (1 of 40)\nexit 1', ok: false, meta: { exitCode: 1 } } },
  ])
  answer(host, agent, runId, 2, [{ text: 'The setting is changed. One test fails for another reason: it expects the old output.' }])
  host.append(agent, { type: 'usage', runId, n: 2, usage: { input: 4200, cacheRead: 38_000, cacheWrite: 1200, output: 900, costUsd: 0.031 } })
  endRun(host, agent, runId)
  host.append(agent, { type: 'future.thing', something: 1 })
}

/** Streams one answer piece by piece, then logs it and ends the run. */
export async function streamAnswer(
  host: FakeHost,
  agent: FakeAgent,
  text: string,
  { pieceChars = 24, pauseMs = 16, finish = true } = {},
): Promise<RunId> {
  const runId = startRun(host, agent)
  host.update(agent, { state: 'working', doing: 'answering', runId, since: new Date().toISOString() })
  for (let offset = 0; offset < text.length; offset += pieceChars) {
    host.notify(agent, 'delta', { stream: '', runId, n: 1, part: 0, kind: 'text', offset, text: text.slice(offset, offset + pieceChars) })
    if (pauseMs > 0) await wait(pauseMs)
  }
  if (!finish) return runId
  answer(host, agent, runId, 1, [{ text }])
  endRun(host, agent, runId)
  rest(host, agent)
  return runId
}

export function rest(host: FakeHost, agent: FakeAgent): void {
  const { runId: _runId, doing: _doing, since: _since, why: _why, ...view } = agent.view
  agent.view = { ...view, state: 'asleep' }
  host.tellHome({ type: 'agent.view', agent: agent.view })
}

/** A command that waits to be allowed; its text hides a character that turns the reading direction. */
export function askPermission(host: FakeHost, agent: FakeAgent): string {
  const runId = startRun(host, agent)
  const id = host.newId('e')
  const command = 'rm -rf build && echo "gnp.\u202etxt" > out\u200b.log'
  host.append(agent, {
    type: 'assistant.message',
    id,
    runId,
    n: 1,
    parts: [
      { type: 'text', text: 'I would clear the build folder first.' },
      { type: 'call', callId: `${id}.0`, wireId: 'w1', name: 'shell', args: JSON.stringify({ command }) },
    ],
    stop: 'tools',
    model: agent.view.model,
  })
  const approvalId = host.newId('p')
  const text = 'Run a command outside of the sandbox.'
  host.append(agent, { type: 'approval.asked', approvalId, runId, callId: `${id}.0`, kind: 'approval', text, detail: { command } })
  host.update(agent, { state: 'waiting', why: 'Waits for your answer.', runId, since: new Date().toISOString() })
  host.setInbox([
    ...host.state.inbox,
    {
      id: approvalId,
      kind: 'approval',
      agent: agent.view.name,
      agentId: agent.view.id,
      since: new Date().toISOString(),
      text,
      detail: { command },
      callId: `${id}.0` as never,
      runId,
    },
  ])
  return approvalId
}
