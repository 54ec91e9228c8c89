import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { test } from 'node:test'
import { KEY, profileOf, realDeps, targetOf, withServer } from '../fixtures.test-support.ts'
import { testProvider } from '../test-provider.ts'
import { createProviderFetch } from './provider-fetch.ts'
import { proxyFor } from './proxy.ts'

const via = (url: string, env: Record<string, string>) => {
  const choice = proxyFor(new URL(url), env)
  return 'broken' in choice ? `broken ${choice.broken}` : (choice.via?.href ?? 'direct')
}

test('the environment names the proxy, and what is not to go through it', () => {
  const env = { HTTPS_PROXY: 'http://proxy.test:3128', http_proxy: 'other.test:8080', NO_PROXY: 'a.test, .b.test,*.c.test d.test:8443,[2001:db8::1]' }
  const cases: [string, string][] = [
    ['https://api.openai.com/v1', 'http://proxy.test:3128/'],
    ['http://api.openai.com/v1', 'http://other.test:8080/'],
    ['https://a.test', 'direct'],
    ['https://x.a.test', 'direct'],
    ['https://nota.test', 'http://proxy.test:3128/'],
    ['https://b.test', 'direct'],
    ['https://x.c.test', 'direct'],
    ['https://d.test:8443', 'direct'],
    ['https://d.test', 'http://proxy.test:3128/'],
    ['https://[2001:db8::1]:9/', 'direct'],
  ]
  for (const [url, expected] of cases) assert.equal(via(url, env), expected, url)
  assert.equal(via('https://x.test', { ...env, NO_PROXY: '*' }), 'direct')
  assert.equal(via('https://x.test', {}), 'direct')
  assert.equal(via('https://x.test', { ALL_PROXY: 'http://all.test' }), 'http://all.test/')
  assert.equal(via('https://x.test', { HTTPS_PROXY: ' ' }), 'direct')
  assert.equal(via('https://x.test', { https_proxy: 'socks5://x.test:1080' }), 'broken https_proxy')
})

test('this machine is never reached through a proxy', () => {
  for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '[::1]', 'a.localhost', '0.0.0.0'])
    assert.equal(via(`http://${host}:11434/`, { HTTP_PROXY: 'http://proxy.test', ALL_PROXY: 'http://proxy.test' }), 'direct', host)
})

/** A proxy on loopback that takes every name to be `origin`. */
async function withProxy(answerWith: (socket: Socket, name: string) => void, use: (proxy: string) => Promise<void>): Promise<void> {
  const open = new Set<Socket>()
  const proxy = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data: [{ id: 'model-1' }], seen: request.url }))
  })
  proxy.on('connection', (socket) => open.add(socket))
  proxy.on('connect', (request, socket) => answerWith(socket as Socket, request.url ?? ''))
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  try {
    await use(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`)
  } finally {
    for (const socket of open) socket.destroy()
    await new Promise((resolve) => proxy.close(resolve))
  }
}

const tried = (env: Record<string, string>, baseUrl: string) =>
  testProvider(targetOf(profileOf('chat'), { baseUrl }), { ...realDeps, fetch: createProviderFetch(env) }, new AbortController().signal)

test('a call goes through the proxy; one to this machine does not', () =>
  withProxy(
    (socket) => socket.end(),
    async (proxy) => {
      const far = await tried({ HTTP_PROXY: proxy }, 'http://api.example.test/v1')
      assert.ok(far.ok, far.detail)
      await withServer(
        (_, response) => response.writeHead(200).end(JSON.stringify({ data: [{ id: 'model-1' }, { id: 'near' }] })),
        async (origin) => assert.deepEqual((await tried({ HTTP_PROXY: proxy }, origin)).models, ['model-1', 'near']),
      )
    },
  ))

test('a secure call is tunnelled; what the proxy says of it is told as the proxy’s', async () => {
  const said: string[] = []
  const refusing = (status: string) => (socket: Socket, name: string) => {
    said.push(name)
    socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`)
  }
  await withProxy(refusing('407 Proxy Authentication Required'), async (proxy) => {
    assert.match((await tried({ HTTPS_PROXY: proxy }, 'https://api.example.test/v1')).detail, /proxy wants a name/)
  })
  await withProxy(refusing('403 Forbidden'), async (proxy) => {
    assert.match((await tried({ HTTPS_PROXY: proxy }, 'https://api.example.test/v1')).detail, /proxy refused/)
  })
  assert.deepEqual(said, ['api.example.test:443', 'api.example.test:443'])
  const closed = await new Promise<string>((resolve) =>
    withProxy(
      () => {},
      async (proxy) => resolve(proxy),
    ),
  )
  const gone = await tried({ HTTPS_PROXY: closed.replace('//', '//user:secret-word@') }, 'https://api.example.test/v1')
  assert.match(gone.detail, /proxy named in HTTPS_PROXY or HTTP_PROXY could not be reached/)
  assert.match((await tried({ HTTPS_PROXY: 'socks5://x' }, 'https://api.example.test/v1')).detail, /is no address/)
  assert.ok(!JSON.stringify([gone, said]).includes('secret-word') && !JSON.stringify(said).includes(KEY))
})

test('a tunnel carries the call to its server', async () => {
  await withServer(
    (_, response) => response.writeHead(200).end('{}'),
    async (origin) => {
      const port = Number(new URL(origin).port)
      let reached = false
      await withProxy(
        (socket) => {
          const upstream = connect(port, '127.0.0.1', () => {
            reached = true
            socket.write('HTTP/1.1 200 OK\r\n\r\n')
            socket.pipe(upstream).pipe(socket)
          })
          upstream.on('error', () => socket.destroy())
          socket.on('error', () => upstream.destroy())
        },
        // The server speaks no TLS, so the call fails, but only behind the tunnel.
        async (proxy) => assert.equal((await tried({ HTTPS_PROXY: proxy }, 'https://api.example.test/v1')).ok, false),
      )
      assert.ok(reached)
    },
  )
})
