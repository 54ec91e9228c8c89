/** Every screen, in both looks and both languages, under the rules of WCAG 2.2 AA as far as a machine can tell. */
import assert from 'node:assert/strict'
import { after, test as nodeTest } from 'node:test'
import { askPermission, richConversation, say, startRun, endRun } from './fake-script.ts'
import { type OpenOptions, openAppBrowser, violations } from './with-app.ts'

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
