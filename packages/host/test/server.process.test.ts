/** The local server as others meet it: over real sockets, as pages, programs and clients that are wrong, slow or gone. */
import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { type IncomingHttpHeaders, request } from 'node:http'
import { connect as connectTcp } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createPeer, type Envelope, HOST_METHODS, HOST_NOTIFICATIONS, NuumError, type ParamsOf, type ResultOf } from '@nuum/protocol'
import { type ScriptedProvider, startScriptedProvider } from '@nuum/testkit'
import { WebSocket } from 'ws'
import { ask, poll, remove, startTestHost, tempDir, type TestHost } from './test-host.ts'

type Methods = typeof HOST_METHODS
type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string }
type Call = <M extends keyof Methods & string>(method: M, params: ParamsOf<Methods, M>) => Promise<ResultOf<Methods, M>>
type Heard = {
  readonly type: 'event' | 'delta' | 'resync' | 'home'
  readonly stream: string
  readonly event?: Envelope
  readonly text?: string
  readonly offset?: number
}
type Client = { readonly socket: WebSocket; readonly call: Call; readonly heard: Heard[]; readonly bytes: () => number }

const SECRET = 'not-for-the-web-0123456789'

describe('the local server', { concurrency: false }, () => {
  let t: TestHost
  let server: ScriptedProvider
  let root = ''
  let port = 0
  let token = ''
  const open: WebSocket[] = []

  before(async () => {
    root = await tempDir()
    const uiDir = join(root, 'ui')
    await mkdir(join(uiDir, 'assets'), { recursive: true })
    await writeFile(join(root, 'secret.txt'), SECRET)
    await writeFile(join(root, 'ui-secret.txt'), SECRET)
    await writeFile(join(uiDir, 'index.html'), '<!doctype html><title>app</title>')
    await writeFile(join(uiDir, 'assets', 'app.js'), 'console.log(1)')
    await writeFile(join(uiDir, 'assets', 'odd.bin'), '\u0001')
    server = await startScriptedProvider({ otherwise: { text: 'Yes.', calls: [] } })
    t = await startTestHost({ uiDir, env: { TEST_MODEL_KEY: 'sk-test-0123456789abcdef' } })
    await t.client.call('provider/set', { name: 'p', wire: 'chat', baseUrl: `${server.url}/v1`, keyEnv: 'TEST_MODEL_KEY' })
    port = Number(new URL(t.host.url).port)
    token = (JSON.parse(await readFile(join(t.home, 'host.lock'), 'utf8')) as { token: string }).token
  })
  after(async () => {
    for (const socket of open) socket.terminate()
    await t.close()
    await server.close()
    await remove(root)
  })

  const bearer = () => ({ authorization: `Bearer ${token}` })
  const local = () => ({ host: `127.0.0.1:${port}` })

  /** The path goes out as it stands: no client tidies it. */
  function http(path: string, headers: Record<string, string> = {}, method = 'GET', body = ''): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', path, method, headers: { ...local(), ...headers }, agent: false }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }))
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }

  /** The status line that an upgrade is answered with. */
  function upgrade(path: string, headers: Record<string, string>): Promise<string> {
    return new Promise((resolve) => {
      const socket = connectTcp(port, '127.0.0.1')
      const all = {
        host: `127.0.0.1:${port}`,
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
        ...headers,
      }
      socket.write(
        `GET ${path} HTTP/1.1\r\n${Object.entries(all)
          .map(([name, value]) => `${name}: ${value}\r\n`)
          .join('')}\r\n`,
      )
      let text = ''
      const end = () => {
        socket.destroy()
        resolve(text.split('\r\n')[0] ?? '')
      }
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
        if (text.includes('\r\n')) end()
      })
      socket.on('close', end)
      socket.on('error', end)
    })
  }

  async function client(headers: Record<string, string> = bearer()): Promise<Client> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/rpc`, { headers, perMessageDeflate: false })
    open.push(socket)
    const heard: Heard[] = []
    let bytes = 0
    const peer = createPeer({
      channel: { send: (text) => socket.send(text) },
      asks: HOST_METHODS,
      tells: {},
      hears: {
        table: HOST_NOTIFICATIONS,
        on: {
          event: ({ stream, event }) => heard.push({ type: 'event', stream, event }),
          delta: ({ stream, text, offset }) => heard.push({ type: 'delta', stream, text, offset }),
          resync: ({ stream }) => heard.push({ type: 'resync', stream }),
          home: () => heard.push({ type: 'home', stream: 'home' }),
        },
      },
      onProblem: (problem) => assert.fail(problem),
    })
    socket.on('message', (data) => {
      const text = String(data)
      bytes += text.length
      if (text !== '') peer.receive(text)
    })
    socket.on('close', () => peer.close('gone'))
    socket.on('error', () => peer.close('gone'))
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve)
      socket.once('close', () => reject(new NuumError('unavailable', 'closed at once')))
      socket.once('unexpected-response', (_request, response) => reject(new NuumError('denied', `status ${response.statusCode}`)))
    })
    return { socket, call: peer.call, heard, bytes: () => bytes }
  }

  const signIn = async () => {
    const { url } = await t.client.call('host/openUrl', {})
    const answer = await http(new URL(url).pathname)
    return { path: new URL(url).pathname, answer, cookie: (answer.headers['set-cookie']?.[0] ?? '').split(';')[0] ?? '' }
  }

  const FOREIGN = [
    { host: 'evil.example' },
    { host: 'evil.example:80' },
    { host: '127.0.0.1' },
    { host: 'localhost.evil.example' },
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { origin: 'https://127.0.0.1' },
    { origin: 'http://127.0.0.1:1' },
  ]

  test('a request under a foreign Host or from a foreign page is refused before its token is looked at', async () => {
    for (const headers of FOREIGN) {
      const answer = await http('/', { ...bearer(), ...headers })
      assert.equal(answer.status, 403, JSON.stringify(headers))
      assert.ok(!answer.body.includes('<title>app'), 'nothing of the app is shown')
      assert.equal(answer.headers['access-control-allow-origin'], undefined)
    }
    assert.equal((await http('/', bearer())).status, 200)
    assert.equal((await http('/', { ...bearer(), origin: `http://127.0.0.1:${port}` })).status, 200)
  })

  test('a WebSocket of a foreign page, under a foreign Host or without a token is refused; one of the app is taken', async () => {
    for (const headers of FOREIGN) assert.match(await upgrade('/rpc', { ...bearer(), ...headers }), / 403 /, JSON.stringify(headers))
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: `Basic ${token}` }, { cookie: `nuum_${port}=wrong` }])
      assert.match(await upgrade('/rpc', headers), / 401 /, JSON.stringify(headers))
    assert.match(await upgrade('/rpc?token=wrong', {}), / 401 /)
    assert.match(await upgrade('/other', bearer()), / 404 /)
    const { cookie } = await signIn()
    assert.match(await upgrade('/rpc', bearer()), / 101 /)
    assert.match(await upgrade(`/rpc?token=${token}`, {}), / 101 /)
    assert.match(await upgrade('/rpc', { cookie, origin: `http://localhost:${port}`, host: `localhost:${port}` }), / 101 /)
  })

  test('an address that no URL can be made of ends nothing, for pages and sockets alike', async () => {
    for (const path of ['//', '///', '//[', '//%', '/%', '/%ff', '/\\', '*']) {
      assert.doesNotMatch(await upgrade(path, { ...bearer(), origin: 'http://evil.example' }), / 101 /, path)
      const { status } = await http(path, bearer())
      assert.ok(status >= 200 && status < 500, `${path}: ${status}`)
    }
    assert.equal((await http('/', bearer())).status, 200, 'the server still answers')
  })

  test('a socket that is torn down in the middle of its greeting ends nothing', async () => {
    for (let round = 0; round < 10; round++) {
      const socket = connectTcp(port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.write(
        `GET /rpc HTTP/1.1\r\nHost: ${round % 2 === 0 ? `127.0.0.1:${port}` : 'evil'}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${round % 3 === 0 ? `Authorization: Bearer ${token}\r\n` : ''}\r\n`,
      )
      socket.resetAndDestroy()
    }
    assert.equal((await http('/', bearer())).status, 200)
  })

  test('only reading is served: a form or script of another page can send nothing', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
      for (const headers of [{}, { 'content-type': 'text/plain' }, { 'content-type': 'text/plain', ...bearer() }] as Record<string, string>[]) {
        const answer = await http('/rpc', headers, method, '{"jsonrpc":"2.0","id":1,"method":"agent/create","params":{"name":"Eve"}}')
        assert.equal(answer.status, 405, method)
        assert.equal(answer.headers['access-control-allow-origin'], undefined)
      }
    assert.equal((await http('/rpc', { 'content-type': 'text/plain', origin: 'http://evil.example', ...bearer() }, 'POST', '{}')).status, 403)
    assert.deepEqual((await t.client.call('agent/list', {})).agents, [])
    assert.equal((await http('/', bearer(), 'HEAD')).status, 200)
  })

  test('without the token no page is shown; with it by header, address or cookie, it is', async () => {
    for (const [path, headers] of [
      ['/', {}],
      ['/assets/app.js', {}],
      ['/?token=wrong', {}],
      ['/?token=', {}],
      ['/', { authorization: 'Bearer wrong' }],
      ['/', { authorization: `Bearer ${token}x` }],
      ['/', { cookie: 'nuum=1' }],
      ['/', { cookie: `nuum_${port}=${token}` }],
      [`/open/${token}`, {}],
    ] as const) {
      const answer = await http(path, headers as Record<string, string>)
      assert.equal(answer.status, 401, `${path} ${JSON.stringify(headers)}`)
      assert.ok(!answer.body.includes('console.log') && !answer.body.includes('<title>app'))
    }
    const { cookie } = await signIn()
    for (const [path, headers] of [
      ['/', bearer()],
      [`/?token=${token}`, {}],
      ['/', { cookie }],
      ['/agents/x', { cookie: `a=b; ${cookie}` }],
    ] as const)
      assert.match((await http(path, headers as Record<string, string>)).body, /<title>app/, path)
  })

  test('a one-time address signs in once', async () => {
    const { path, answer, cookie } = await signIn()
    assert.deepEqual([answer.status, answer.headers.location], [303, '/'])
    assert.match(answer.headers['set-cookie']?.[0] ?? '', /HttpOnly; SameSite=Strict/)
    assert.equal((await http(path)).status, 401, 'a second use')
    assert.equal((await http(path, { cookie })).status, 303, 'whoever is signed in already is led on')
    assert.equal((await http(path, { cookie, host: 'evil.example' })).status, 403)
  })

  test('no path leads out of the app’s files', async () => {
    const ways = [
      '/../secret.txt',
      '/..%2fsecret.txt',
      '/..%2f..%2fsecret.txt',
      '/%2e%2e/secret.txt',
      '/%2e%2e%2fsecret.txt',
      '/assets/../../secret.txt',
      '/assets/..%2f..%2fsecret.txt',
      '/..%252fsecret.txt',
      '/....//secret.txt',
      '/..\\secret.txt',
      '/..%5csecret.txt',
      '/%00/../secret.txt',
      '/secret.txt%00.js',
      '/../ui-secret.txt',
      '/..-secret.txt',
      '/-secret.txt',
      `/${join(root, 'secret.txt')}`,
      `/${encodeURIComponent(join(root, 'secret.txt'))}`,
      join(root, 'secret.txt'),
      '/file:///etc/passwd',
      '/etc/passwd',
      '//etc/passwd',
      '/..%c0%afsecret.txt',
      '/..;/secret.txt',
    ]
    for (const path of ways) {
      const answer = await http(path, bearer())
      assert.ok(!answer.body.includes(SECRET) && !answer.body.includes('root:'), path)
      assert.ok([200, 400, 404].includes(answer.status), `${path}: ${answer.status}`)
    }
    assert.equal((await http('/assets/app.js', bearer())).body, 'console.log(1)')
    assert.equal((await http('/assets/%61pp.js', bearer())).body, 'console.log(1)')
  })

  test('every answer forbids what a hostile text could make a browser do', async () => {
    const answers = [
      await http('/', bearer()),
      await http('/assets/app.js', bearer()),
      await http('/x.js', bearer()),
      await http('/'),
      await http('/', { host: 'evil' }),
      await http('/', {}, 'POST'),
      (await signIn()).answer,
    ]
    assert.deepEqual(
      answers.map((answer) => answer.status),
      [200, 200, 404, 401, 403, 405, 303],
    )
    for (const { headers, status } of answers) {
      const csp = headers['content-security-policy'] ?? ''
      for (const rule of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"])
        assert.ok(String(csp).includes(rule), `${status}: ${rule}`)
      assert.doesNotMatch(String(csp), /unsafe-eval|script-src[^;]*unsafe-inline|https?:/)
      assert.deepEqual(
        [headers['x-content-type-options'], headers['referrer-policy'], headers['x-frame-options'], headers['access-control-allow-origin']],
        ['nosniff', 'no-referrer', 'DENY', undefined],
      )
    }
    assert.deepEqual(
      answers.slice(0, 2).map((answer) => [answer.headers['content-type'], answer.headers['cache-control']]),
      [
        ['text/html; charset=utf-8', 'no-store'],
        ['text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
      ],
    )
    assert.equal((await http('/assets/odd.bin', bearer())).headers['content-type'], 'application/octet-stream')
  })

  test('a client that sends nonsense is answered where it can be, and goes on', async () => {
    const one = await client()
    for (const text of [
      '',
      '{',
      'null',
      '[]',
      '\u0000',
      '{"jsonrpc":"2.0"}',
      '{"jsonrpc":"2.0","id":9,"result":{}}',
      '{"jsonrpc":"2.0","method":"constructor"}',
    ])
      one.socket.send(text)
    one.socket.send(Buffer.from([0xff, 0xfe, 0x00]))
    const kindOf = async (method: string, params: unknown) =>
      one.call(method as never, params as never).then(
        () => 'none',
        (cause: unknown) => (cause instanceof NuumError ? cause.kind : String(cause)),
      )
    assert.equal(await kindOf('agent/unknown', {}), 'unsupported')
    assert.equal(await kindOf('toString', {}), 'unsupported')
    assert.equal(await kindOf('agent/get', { agent: 5 }), 'invalid')
    assert.equal(await kindOf('agent/get', { agent: 'nobody' }), 'not_found')
    assert.equal(await kindOf('agent/get', { agent: 'x', more: 1 }), 'invalid')
    assert.equal(await kindOf('event/subscribe', { streams: { 'agent:a_nobody': 0 } }), 'not_found')
    assert.equal(await kindOf('event/subscribe', { streams: { home: -1 } }), 'invalid')
    assert.equal(await kindOf('transcript/page', { agent: 'x', limit: 0 }), 'invalid')
    assert.equal((await one.call('host/info', {})).home, t.home)
    one.socket.close()
  })

  test('a message beyond all measure ends its own connection and no other', async () => {
    const [one, other] = [await client(), await client()]
    const closed = new Promise<number>((resolve) => one.socket.once('close', resolve))
    one.socket.send(Buffer.alloc(17 * 1024 * 1024, 0x20))
    assert.equal(await closed, 1009)
    assert.equal((await other.call('host/info', {})).pid, process.pid)
    other.socket.close()
  })

  test('a client that comes back with its last seq has every event once, while events are being written', async () => {
    const { agent } = await t.client.call('agent/create', { name: 'Busy', model: 'p/scripted-model' })
    await t.client.follow(agent.id)
    const stream = `agent:${agent.id}`
    let writing = true
    const writer = (async () => {
      for (let n = 0; n < 12; n++) {
        const ended = await ask(t.client, agent.id, `what can you do? ${n}`)
        assert.equal(ended['status'], 'done', JSON.stringify(ended))
      }
      writing = false
    })()
    const seen: number[] = []
    let rounds = 0
    const lastSeq = async () => (await t.client.call('agent/get', { agent: agent.id })).agent.lastSeq
    while (writing || seen.length < (await lastSeq())) {
      const one = await client()
      await one.call('event/subscribe', { streams: { [stream]: seen.length, home: 0 } })
      const want = 1 + (rounds++ % 5)
      await poll(
        async () =>
          one.heard.filter((heard) => heard.type === 'event').length >= want ||
          (!writing && seen.length + one.heard.filter((heard) => heard.type === 'event').length >= (await lastSeq())),
      )
      one.socket.terminate()
      seen.push(...one.heard.flatMap((heard) => (heard.event === undefined ? [] : [heard.event.seq])))
    }
    await writer
    assert.deepEqual(
      seen,
      seen.map((_, at) => at + 1),
    )
    assert.ok(rounds > 3)
    const { events } = await t.client.call('transcript/page', { agent: agent.id, limit: 1000 })
    assert.equal(seen.length, events.at(-1)?.seq)
  })

  test('a client from before (its last seq was never written) is told to begin anew, and then follows', async () => {
    const { agent } = await t.client.call('agent/create', { name: 'Reset', model: 'guide/guide' })
    const one = await client()
    const { heads } = await one.call('event/subscribe', { streams: { [`agent:${agent.id}`]: 99_999, home: 99_999_999 } })
    assert.equal(heads[`agent:${agent.id}`], 1)
    assert.deepEqual(
      one.heard
        .filter((heard) => heard.type === 'resync')
        .map((heard) => heard.stream)
        .sort(),
      [`agent:${agent.id}`, 'home'],
    )
    await t.client.call('agent/update', { agent: agent.id, persona: 'calm' })
    await poll(async () => one.heard.some((heard) => heard.event?.seq === 2))
    await one.call('event/unsubscribe', { streams: [`agent:${agent.id}`] })
    await t.client.call('agent/update', { agent: agent.id, persona: 'wild' })
    await one.call('host/info', {})
    assert.deepEqual(
      one.heard.flatMap((heard) => (heard.event === undefined ? [] : [heard.event.seq])),
      [2],
    )
    one.socket.close()
  })

  test('one who comes in the middle of an answer gets the text so far at once, and it is what the log keeps', async () => {
    const { agent } = await t.client.call('agent/create', { name: 'Stream', model: 'p/scripted-model' })
    server.reply({ text: 'A first half that stands here. '.repeat(20), wire: { stallAtByte: 2500 } })
    await t.client.follow(agent.id)
    await t.client.call('chat/send', { agentId: agent.id, text: 'go' })
    const early = () => t.client.deltas.filter((delta) => delta.kind === 'text').map((delta) => delta.text)
    await poll(async () => early().join('').length > 20)
    const one = await client()
    await one.call('event/subscribe', { streams: { [`agent:${agent.id}`]: 0 } })
    await poll(async () => one.heard.some((heard) => heard.type === 'delta'))
    const [delta] = one.heard.filter((heard) => heard.type === 'delta')
    assert.equal(delta?.offset, 0)
    await t.client.call('chat/stop', { agent: agent.id })
    await poll(async () => one.heard.some((heard) => heard.event?.type === 'run.ended'))
    const kept = one.heard.find((heard) => heard.event?.type === 'assistant.message')?.event
    assert.equal(kept?.['partial'], true)
    let text = ''
    for (const { type, offset = 0, text: more = '' } of one.heard) {
      if (type !== 'delta') continue
      if (offset === 0) text = ''
      assert.equal(offset, text.length, 'no gap')
      text += more
    }
    assert.deepEqual(kept?.['parts'], [{ type: 'text', text }])
    one.socket.close()
  })
})

test('a client that never reads is told to begin anew, and costs the Host a bounded amount; others lose nothing', async () => {
  const home = await tempDir()
  const lines = 44
  const t = await startTestHost({ home })
  const { agent } = await t.client.call('agent/create', { name: 'Long', model: 'guide/guide' })
  await t.close()
  const path = join(home, 'agents', agent.id, 'transcript.jsonl')
  const first = (await readFile(path, 'utf8')).trimEnd()
  const body = 'x'.repeat(700_000)
  const more = Array.from({ length: lines }, (_, at) =>
    JSON.stringify({ ...(JSON.parse(first) as object), seq: at + 2, id: `e_${String(at).padStart(26, '0')}`, fields: { note: body } }),
  )
  await writeFile(path, `${[first, ...more].join('\n')}\n`)
  const u = await startTestHost({ home })
  try {
    const { token } = JSON.parse(await readFile(join(home, 'host.lock'), 'utf8')) as { token: string }
    const socket = new WebSocket(`${u.host.url.replace('http', 'ws')}/rpc?token=${token}`, { perMessageDeflate: false })
    await new Promise((resolve) => socket.once('open', resolve))
    const methods: string[] = []
    let bytes = 0
    socket.on('message', (data) => {
      const text = String(data)
      bytes += text.length
      methods.push((JSON.parse(text) as { method?: string }).method ?? 'answer')
    })
    socket.pause()
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'event/subscribe', params: { streams: { [`agent:${agent.id}`]: 0 } } }))
    await u.client.follow(agent.id)
    await poll(async () => u.client.events.length === lines + 1, 60_000)
    socket.resume()
    await poll(async () => methods.includes('resync'), 60_000)
    assert.equal(methods.at(-1), 'resync', 'nothing follows it')
    assert.ok(bytes < lines * body.length, `${bytes} bytes were kept for one who did not read`)
    assert.deepEqual(
      u.client.events.map((event) => event.seq),
      Array.from({ length: lines + 1 }, (_, at) => at + 1),
    )
    socket.terminate()
  } finally {
    await u.close()
    await remove(home)
  }
})
