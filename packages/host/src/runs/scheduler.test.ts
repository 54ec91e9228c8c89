import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Room } from '../agents/room.ts'
import { createScheduler } from './scheduler.ts'
import type { OpenWake } from './wakes.ts'

type Fake = {
  name: string
  run: { target: object; state: 'working' | 'waiting' } | null
  archived?: boolean
  broken?: boolean
  wakes: string[]
  refuses?: boolean
}
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Agents as the scheduler sees them; a wake is named by its time. */
function make(max: number, ...agents: Fake[]) {
  const begun: string[] = []
  const opens = new Map<string, OpenWake>()
  const openOf = (agent: Fake, at: string): OpenWake => {
    const key = `${agent.name} ${at}`
    const open = opens.get(key) ?? ({ wake: { wakeId: key, at, kind: 'user' }, held: null } as unknown as OpenWake)
    opens.set(key, open)
    return open
  }
  const rooms = new Map(
    agents.map((agent) => [
      agent,
      {
        get run() {
          return agent.run
        },
        get broken() {
          return agent.broken === true ? { kind: 'internal', message: '' } : null
        },
        profile: {
          name: agent.name,
          get archived() {
            return agent.archived === true
          },
        },
        queue: () => new Map(agent.wakes.map((at) => [`${agent.name} ${at}`, openOf(agent, at)])),
      } as unknown as Room,
    ]),
  )
  const scheduler = createScheduler({
    rooms: () => rooms.values(),
    maxRuns: () => max,
    start: async (room, open) => {
      const agent = agents.find((one) => rooms.get(one) === room)
      begun.push(String(open.wake.wakeId))
      if (agent === undefined || agent.refuses === true) return
      agent.wakes.shift()
      agent.run = { target: {}, state: 'working' }
    },
    onProblem: (problem) => assert.fail(problem),
  })
  return { scheduler, begun }
}
const agent = (name: string, fields: Partial<Fake> = {}): Fake => ({ name, run: null, wakes: [], ...fields })

test('nothing runs before it is opened, nor after it is paused', async () => {
  const a = agent('a', { wakes: ['1'] })
  const b = agent('b')
  const { scheduler, begun } = make(4, a, b)
  scheduler.kick()
  scheduler.mended()
  await turn()
  assert.deepEqual(begun, [])
  scheduler.open()
  await turn()
  assert.deepEqual(begun, ['a 1'])
  scheduler.pause()
  b.wakes.push('2')
  scheduler.kick()
  await turn()
  assert.deepEqual(begun, ['a 1'])
})

test('one run an agent, a bounded number over all, the oldest wake first', async () => {
  const agents = [agent('a', { wakes: ['3', '4'] }), agent('b', { wakes: ['1'] }), agent('c', { wakes: ['2'] })]
  const { scheduler, begun } = make(2, ...agents)
  scheduler.open()
  scheduler.kick()
  await turn()
  assert.deepEqual(begun, ['b 1', 'c 2'])
  const [, b] = agents
  if (b !== undefined) b.run = null
  scheduler.kick()
  await turn()
  scheduler.kick()
  await turn()
  assert.deepEqual(begun, ['b 1', 'c 2', 'a 3'])
})

test('who waits for the person keeps no other up; archived and broken agents begin nothing', async () => {
  const waits = agent('w', { run: { target: {}, state: 'waiting' }, wakes: ['0'] })
  const { scheduler, begun } = make(
    1,
    waits,
    agent('x', { archived: true, wakes: ['1'] }),
    agent('y', { broken: true, wakes: ['2'] }),
    agent('z', { wakes: ['3'] }),
  )
  scheduler.open()
  await turn()
  assert.deepEqual(begun, ['z 3'])
})

test('a wake that can’t begin makes room for the next, and is tried again only once something was mended', async () => {
  const held = [agent('a', { wakes: ['1'], refuses: true }), agent('b', { wakes: ['2'], refuses: true })]
  const { scheduler, begun } = make(1, ...held, agent('c', { wakes: ['3'] }))
  scheduler.open()
  await turn()
  await turn()
  assert.deepEqual(begun, ['a 1', 'b 2', 'c 3'])
  scheduler.kick()
  await turn()
  assert.deepEqual(begun, ['a 1', 'b 2', 'c 3'])
  for (const one of held) one.refuses = false
  const { scheduler: again, begun: later } = make(4, ...held)
  again.open()
  again.mended()
  await turn()
  assert.deepEqual(later, ['a 1', 'b 2'])
})
