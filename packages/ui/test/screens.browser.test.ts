/** Every screen, in both looks and both languages, under the rules of WCAG 2.2 AA as far as a machine can tell. */
import assert from 'node:assert/strict'
import { after, test as nodeTest } from 'node:test'
import { answer, askPermission, richConversation, say, startRun, endRun } from './fake-script.ts'
import { box, type OpenOptions, openAppBrowser, violations } from './with-app.ts'

const { skip, withApp, close } = await openAppBrowser()
after(close)

const scenes: [string, OpenOptions][] = [
  ['a conversation', { prepare: (host) => richConversation(host, host.addAgent('Ada', { model: 'anthropic/claude-sonnet-5-5' })) }],
  ['a permission', { prepare: (host) => void askPermission(host, host.addAgent('Ada')) }],
  [
    'a failed run',
    {
      prepare: (host) => {
        const ada = host.addAgent('Ada')
        say(host, ada, 'go')
        endRun(host, ada, startRun(host, ada), { status: 'failed', error: { kind: 'provider.auth', message: 'The key was refused.' } })
      },
    },
  ],
  [
    'a conversation that went back, with an answer that was left',
    {
      prepare: (host) => {
        const ada = host.addAgent('Ada', { model: 'anthropic/claude-sonnet-5-5' })
        say(host, ada, 'go')
        for (const text of ['One.', 'Two.']) {
          const runId = startRun(host, ada)
          answer(host, ada, runId, 1, [{ text }])
          endRun(host, ada, runId)
          if (text === 'One.') host.append(ada, { type: 'branch', from: 2, reason: 'retry' })
        }
        host.append(ada, {
          type: 'run.fallback',
          runId: startRun(host, ada),
          from: 'a/b',
          to: 'c/d',
          error: { kind: 'provider.server', message: 'x' },
        })
        host.append(ada, { type: 'context.fresh' })
      },
    },
  ],
  [
    'an agent at work that waits to try again, with messages in its queue',
    {
      prepare: (host) => {
        const ada = host.addAgent('Ada')
        say(host, ada, 'go')
        const retry = { attempt: 1, untilAt: new Date(Date.now() + 90_000).toISOString(), kind: 'provider.overloaded' as const, message: 'HTTP 529' }
        host.update(ada, { state: 'working', runId: startRun(host, ada), since: new Date().toISOString(), retry })
        ada.queue.push({ wakeId: host.newId('k'), kind: 'user', text: 'And then?', since: new Date().toISOString() })
      },
    },
  ],
  ['an empty conversation', { prepare: (host) => void host.addAgent('Ada') }],
  [
    'a full disk',
    {
      prepare: (host) => {
        host.state.info = { ...host.state.info, storage: { kind: 'storage_full', message: 'The disk is full.' } }
      },
    },
  ],
  ['the Inbox', { hash: '#/inbox', prepare: (host) => void askPermission(host, host.addAgent('Ada')) }],
  ['settings', { hash: '#/settings' }],
  ['a new agent', { hash: '#/new' }],
  ['the first steps', { firstRun: true }],
  ['no agents', {}],
]

for (const [name, options] of scenes) {
  nodeTest(`axe finds nothing: ${name}, light and wide, dark and narrow, English and Chinese`, { skip }, async () => {
    await withApp(options, async ({ host, page }) => {
      await page.waitForSelector('main:not([aria-busy=true])')
      await page.waitForSelector('.is-settling', { state: 'detached' })
      await page.evaluate(() =>
        document.querySelectorAll<HTMLElement>('main [aria-expanded=false]:not(.icon-button)').forEach((button) => button.click()),
      )
      assert.deepEqual(await violations(page), [])
      host.settings.set('ui.language', 'zh')
      host.tellHome({ type: 'settings.changed' })
      await page.waitForFunction(() => document.documentElement.lang === 'zh-Hans')
      await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
      await page.setViewportSize({ width: 400, height: 760 })
      await page.waitForFunction(() => document.documentElement.scrollWidth <= window.innerWidth, undefined)
      assert.deepEqual(await violations(page), [])
    })
  })
}

nodeTest('axe finds nothing: settings of an agent, and its delete question', { skip }, async () => {
  await withApp({ prepare: (host) => void host.addAgent('Ada') }, async ({ page }) => {
    await page.click('.bar .icon-button >> nth=-1')
    await page.waitForSelector('.grant')
    assert.deepEqual(await violations(page), [])
    await page.click('text=Delete …')
    await page.waitForSelector('dialog[open]')
    assert.deepEqual(await violations(page), [])
  })
})

nodeTest('axe finds nothing: choosing a model, finding words, a command and a file, dark and narrow, in Chinese', { skip }, async () => {
  await withApp({ prepare: (host) => richConversation(host, host.addAgent('Ada')) }, async ({ host, page }) => {
    await page.waitForSelector(box)
    host.settings.set('ui.language', 'zh')
    host.tellHome({ type: 'settings.changed' })
    await page.waitForFunction(() => document.documentElement.lang === 'zh-Hans')
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    await page.setViewportSize({ width: 400, height: 760 })
    await page.click('.model-button')
    await page.click('.local-models button')
    await page.waitForSelector('.local-models li')
    assert.deepEqual(await violations(page), [])
    await page.keyboard.press('Escape')
    await page.waitForSelector('dialog', { state: 'detached' })
    await page.setInputFiles('.send-bar input[type=file]', [{ name: 'a.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') }])
    await page.fill(box, '/')
    await page.waitForSelector('.command-menu')
    await page.keyboard.press('Control+f')
    await page.keyboard.type('build')
    await page.waitForSelector('.is-found')
    assert.deepEqual(await violations(page), [])
  })
})
