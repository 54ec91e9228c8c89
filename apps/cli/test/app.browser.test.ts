/** The whole product in a real browser: the real command, Host, Kernel and app, as a newcomer meets them. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { launchBrowser, startScriptedProvider, type TestBrowser } from '@nuum/testkit'

const BIN = fileURLToPath(new URL('../bin/nuum.mjs', import.meta.url))
type Served = { readonly url: string; readonly stop: () => Promise<void> }
type Page = Awaited<ReturnType<Extract<TestBrowser, { browser: unknown }>['browser']['newPage']>>

let browser: TestBrowser
let home: string

before(async () => {
  browser = await launchBrowser()
  home = await mkdtemp(join(tmpdir(), 'nuum-app-'))
})
after(async () => {
  if ('browser' in browser) await browser.close()
  await rm(home, { recursive: true, force: true })
})

/** `nuum serve` on the shared home; its one-time address signs a new page in. */
async function serve(env: Record<string, string> = {}): Promise<Served> {
  const child = spawn(process.execPath, [BIN, 'serve', '--port', '0', '--json', '--home', home], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NUUM_NO_BROWSER: '1', ...env },
  })
  const url = await firstUrl(child)
  return {
    url,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve())
        child.kill('SIGTERM')
      }),
  }
}

function firstUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      if (!text.includes('\n')) return
      const line = JSON.parse(text.slice(0, text.indexOf('\n'))) as { url?: string }
      if (line.url === undefined) reject(new Error(text))
      else resolve(line.url)
    })
    child.once('exit', (code) => reject(new Error(`nuum serve ended with ${code}`)))
  })
}

async function open(url: string): Promise<{ page: Page; problems: string[] }> {
  assert.ok('browser' in browser)
  const page = await browser.browser.newPage({ locale: 'en-US' })
  page.setDefaultTimeout(20_000)
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !/WebSocket|ERR_CONNECTION|net::/.test(message.text())) problems.push(message.text())
  })
  await page.goto(url)
  return { page, problems }
}

async function say(page: Page, text: string): Promise<void> {
  const composer = page.locator('textarea').first()
  await composer.fill(text)
  await composer.press('Enter')
}

test('a newcomer meets the guide, names an agent, sees it act with tools, closes everything and finds it again', async (t) => {
  if ('reason' in browser) return t.skip(browser.reason)
  const first = await serve()
  const { page, problems } = await open(first.url)
  await page.getByText('Meet the built-in guide').click()
  await page.getByLabel(/^name/i).fill('Ada')
  await page
    .getByRole('button', { name: /continue|next/i })
    .first()
    .click()
  await say(page, 'write "hello from the browser" to hello.txt')
  await page.getByText('Done:', { exact: false }).first().waitFor()
  await page.getByText('not AI').first().waitFor()
  await say(page, 'run echo $((40+2)) things')
  await page.getByText('42 things').first().waitFor()
  const agentDirs = await readFile(join(home, 'nuum.json'), 'utf8')
  assert.ok(agentDirs.includes('"v"'))
  await first.stop()
  await page.close()
  const second = await serve()
  const again = await open(second.url)
  await again.page.getByText('42 things').first().waitFor()
  await say(again.page, '读取 hello.txt')
  await again.page.getByText('hello from the browser').nth(1).waitFor()
  assert.deepEqual([...problems, ...again.problems], [])
  await again.page.close()
  await second.stop()
})

test('an answer streams, is stopped, and the conversation goes on; a question is answered in place', async (t) => {
  if ('reason' in browser) return t.skip(browser.reason)
  const server = await startScriptedProvider()
  const served = await serve({ SCRIPTED_KEY: 'sk-scripted-0123456789' })
  try {
    const { page } = await open(served.url)
    await new Promise<void>((resolve, reject) => {
      const set = spawn(
        process.execPath,
        [BIN, 'providers', 'set', 'scripted', '--wire', 'messages', '--base-url', server.url, '--key-env', 'SCRIPTED_KEY', '--home', home],
        { stdio: 'ignore' },
      )
      set.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`providers set: ${code}`))))
    })
    await new Promise<void>((resolve, reject) => {
      const create = spawn(process.execPath, [BIN, 'agents', 'create', 'Bo', '--model', 'scripted/claude-sonnet-5-5', '--home', home], {
        stdio: 'ignore',
      })
      create.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`agents create: ${code}`))))
    })
    await page.getByText('Bo', { exact: true }).first().click()
    server.reply(
      { text: 'Streaming words that never come to their end', wire: { stallAtByte: 1000 } },
      { text: 'Asking.', calls: [{ name: 'write', args: { path: '/srv/nuum-browser-test.txt', content: 'x' } }] },
      { text: 'As you wish.' },
    )
    await say(page, 'go')
    await page.getByText('Streaming words', { exact: false }).first().waitFor()
    await page.getByRole('button', { name: 'Stop', exact: true }).first().click()
    await page
      .getByText(/stopped/i)
      .first()
      .waitFor()
    await say(page, 'and now?')
    await page.getByRole('button', { name: 'Deny', exact: true }).first().click()
    await page.getByText('As you wish.').first().waitFor()
    assert.deepEqual(
      server.requests.map((request) => request.refused),
      [null, null, null],
    )
    await page.close()
  } finally {
    await served.stop()
    await server.close()
  }
})
