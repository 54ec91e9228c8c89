/** The life of a conversation in a real browser: back and anew, steering, files, commands, finding, what is new. */
import assert from 'node:assert/strict'
import { after, test as nodeTest } from 'node:test'
import type { FakeAgent, FakeHost } from './fake-host.ts'
import { answer, endRun, rest, say, startRun } from './fake-script.ts'
import { agentOf, atEnd, box, fill, openAppBrowser, sends, violations } from './with-app.ts'

const { skip, withApp, close } = await openAppBrowser()
after(close)
const test = (name: string, act: () => Promise<void>) => nodeTest(name, { skip }, act)

function turn(host: FakeHost, agent: FakeAgent, question: string, text: string): void {
  say(host, agent, question)
  reply(host, agent, text)
}
function reply(host: FakeHost, agent: FakeAgent, text: string): void {
  const runId = startRun(host, agent)
  answer(host, agent, runId, 1, [{ text }])
  endRun(host, agent, runId)
}
const called = (host: FakeHost, method: string) =>
  host.calls.filter((call) => call.method === method).map(({ params }) => params as Record<string, unknown>)
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FAAhKDveksOjmAAAAAElFTkSuQmCC', 'base64')
const work = (host: FakeHost, agent: FakeAgent) =>
  host.update(agent, { state: 'working', runId: startRun(host, agent), since: new Date().toISOString(), doing: 'shell' })

test('an answer can be given anew; the one that was left is folded, readable, and gone back to', async () => {
  await withApp({ prepare: (host) => turn(host, host.addAgent('Ada'), 'Why?', 'First answer.') }, async ({ host, page }) => {
    host.onSend.script = (agent) => reply(host, agent, 'Second answer.')
    await page.click('.answer.is-last button[aria-label="Answer anew"]')
    await page.waitForSelector('text=Second answer.')
    await page.waitForSelector('.tail >> text=1 message left behind')
    assert.equal(await page.locator('text=First answer.').count(), 0)
    await page.click('.tail >> text=Show')
    await page.waitForSelector('.is-left >> text=First answer.')
    assert.deepEqual(await violations(page), [])
    await page.click('.tail >> text=Go back to them')
    await page.waitForSelector('.line:not(.is-left) >> text=First answer.')
    assert.equal(await page.locator('.line:not(.is-left) >> text=Second answer.').count(), 0)
  })
})

test('a message is edited where it stands; Enter of an input method sends nothing, Esc changes nothing', async () => {
  await withApp({ prepare: (host) => turn(host, host.addAgent('Ada'), 'Teh question', 'An answer.') }, async ({ host, page }) => {
    const editor = '.message-editor textarea'
    await page.hover('.bubble')
    await page.click('.bubble-line button[aria-label^="Edit"]')
    await page.fill(editor, '問題')
    await page.evaluate((selector) => {
      const area = document.querySelector(selector)
      area?.dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true }))
      area?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, isComposing: true, bubbles: true, cancelable: true }))
      area?.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true }))
      area?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', keyCode: 13, bubbles: true, cancelable: true }))
    }, editor)
    assert.deepEqual(called(host, 'chat/edit'), [])
    await page.waitForTimeout(80)
    await page.press(editor, 'Escape')
    await page.waitForSelector('.bubble:has-text("Teh question")')
    await page.hover('.bubble')
    await page.click('.bubble-line button[aria-label^="Edit"]')
    await page.fill(editor, 'The question')
    await page.press(editor, 'Enter')
    await page.waitForSelector('.bubble:has-text("The question")')
    await page.waitForSelector('.tail >> text=2 messages left behind')
    assert.equal(called(host, 'chat/edit')[0]?.['text'], 'The question')
  })
})

test('an earlier answer is gone back to; while a run is on nothing of this is offered', async () => {
  await withApp(
    {
      prepare: (host) => {
        const ada = host.addAgent('Ada')
        turn(host, ada, 'One?', 'One.')
        turn(host, ada, 'Two?', 'Two.')
      },
    },
    async ({ host, page }) => {
      await page.hover('.answer >> nth=0')
      await page.click('.answer >> nth=0 >> button[aria-label="Go back to here"]')
      await page.waitForSelector('.tail >> text=2 messages left behind')
      const ada = agentOf(host, 'Ada')
      work(host, ada)
      await page.waitForSelector('button[aria-label="Go back to them"][disabled]')
    },
  )
})

test('while a run is on a message is added, steers, or replaces the run: three buttons, three keys', async () => {
  await withApp({ prepare: (host) => turn(host, host.addAgent('Ada'), 'Hi', 'Hello.') }, async ({ host, page }) => {
    const ada = agentOf(host, 'Ada')
    work(host, ada)
    await page.waitForSelector('.verbs')
    await page.fill(box, 'later')
    await page.press(box, 'Enter')
    await page.waitForSelector('.queue >> text=later')
    await page.fill(box, 'now')
    await page.click('.verbs >> text=Steer now')
    await page.waitForSelector('.queue >> text=now')
    await page.fill(box, 'instead')
    await page.press(box, 'Control+Shift+Enter')
    await page.waitForSelector('text=You stopped this.')
    const modes = called(host, 'chat/send').map(({ text, mode }) => [text, mode ?? null])
    assert.deepEqual(modes, [
      ['later', null],
      ['now', 'steer'],
      ['instead', null],
    ])
    const order = host.calls.map(({ method }) => method)
    assert.ok(order.lastIndexOf('chat/send') < order.indexOf('chat/stop'), 'the message is safe before the run is stopped')
  })
})

test('a failed call that waits says how often it failed and how long it waits; one can try now or stop waiting', async () => {
  await withApp({ prepare: (host) => turn(host, host.addAgent('Ada'), 'Hi', 'Hello.') }, async ({ host, page }) => {
    const ada = agentOf(host, 'Ada')
    const retry = { attempt: 2, untilAt: new Date(Date.now() + 60_000).toISOString(), kind: 'provider.overloaded' as const, message: 'HTTP 529' }
    host.update(ada, { state: 'working', runId: startRun(host, ada), since: new Date().toISOString(), retry })
    await page.waitForSelector('.run-bar:has-text("2 tries have failed"):has-text("Next try in")')
    await page.click('text=Try now')
    await page.click('text=Stop waiting')
    await page.waitForSelector('text=You stopped this.')
    assert.equal(called(host, 'chat/skipWait').length, 1)
  })
})

test('pictures and documents go with a message; what can not go is refused with its reason; nothing is loaded from elsewhere', async () => {
  await withApp({ prepare: (host) => void host.addAgent('Ada') }, async ({ host, page, errors }) => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.setInputFiles('.send-bar input[type=file]', [
      { name: 'green.png', mimeType: 'image/png', buffer: PNG },
      { name: 'spec.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 x') },
      { name: 'all.zip', mimeType: 'application/zip', buffer: Buffer.from('PK') },
    ])
    await page.waitForSelector('text=all.zip is neither a picture nor a PDF')
    await page.waitForSelector('text=is not known to see pictures')
    await page.waitForFunction(() => document.querySelectorAll('.file-chips li:not(.is-uploading)').length === 2)
    assert.deepEqual(await violations(page), [])
    await page.fill(box, 'Look')
    await page.press(box, 'Enter')
    await page.waitForFunction(() => (document.querySelector<HTMLImageElement>('.picture img')?.naturalWidth ?? 0) > 0)
    await page.waitForSelector('.attachments >> text=spec.pdf')
    const sent = called(host, 'chat/send')[0]?.['attachments'] as { name: string; blob: string }[]
    assert.deepEqual(
      sent.map(({ name }) => name),
      ['green.png', 'spec.pdf'],
    )
    assert.ok(sent.every(({ blob }) => host.state.blobs.has(blob)))
    await page.click('.picture')
    await page.waitForSelector('dialog[open] img')
    assert.deepEqual(
      asked.filter((url) => !url.startsWith(host.url) && !url.startsWith('blob:')),
      [],
    )
    assert.deepEqual(errors, [])
  })
})

test('a picture is pasted and dropped, and removed again', async () => {
  await withApp({ prepare: (host) => void host.addAgent('Ada') }, async ({ page }) => {
    await page.waitForSelector(box)
    const offer = (kind: 'paste' | 'drop') =>
      page.evaluate(
        ([selector, name, base64]) => {
          const data = new DataTransfer()
          data.items.add(new File([Uint8Array.from(atob(base64 ?? ''), (one) => one.charCodeAt(0))], `${name}.png`, { type: 'image/png' }))
          const event =
            name === 'paste'
              ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
              : new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })
          document.querySelector(selector ?? '')?.dispatchEvent(event)
        },
        [box, kind, PNG.toString('base64')],
      )
    await offer('paste')
    await page.waitForSelector('.file-chips >> text=paste.png')
    await offer('drop')
    await page.waitForSelector('.file-chips >> text=drop.png')
    await page.click('button[aria-label="Remove paste.png"]')
    await page.waitForSelector('.file-chips >> text=paste.png', { state: 'detached' })
  })
})

test('a slash offers the commands there are; /fresh can be undone, /export saves Markdown, a path is a message', async () => {
  await withApp({ prepare: (host) => turn(host, host.addAgent('Ada'), 'Hi', 'Hello.') }, async ({ host, page }) => {
    await page.fill(box, '/')
    await page.waitForSelector('.command-menu')
    assert.deepEqual(await violations(page), [])
    await page.press(box, 'Escape')
    await page.waitForSelector('.command-menu', { state: 'detached' })
    await page.fill(box, '/fr')
    await page.press(box, 'Enter')
    await page.waitForSelector('.note:has-text("A new beginning")')
    await page.click('.note >> text=Undo')
    await page.waitForSelector('.note:has-text("A new beginning")', { state: 'detached' })
    await page.fill(box, '/export')
    const [download] = await Promise.all([page.waitForEvent('download'), page.press(box, 'Enter')])
    assert.equal(download.suggestedFilename(), 'Ada.md')
    await page.fill(box, '/usr/bin/env')
    await page.press(box, 'Enter')
    await page.waitForSelector('.bubble:has-text("/usr/bin/env")')
    assert.equal(sends(host).length, 1)
  })
})

test('words are found in the whole log, far above what is loaded, and the newest message is one click away again', async () => {
  await withApp(
    {
      prepare: (host) => {
        const ada = host.addAgent('Ada')
        turn(host, ada, 'Where is the needle?', 'The NEEDLE is here.')
        fill(host, ada, 300)
      },
    },
    async ({ host, page }) => {
      await page.waitForSelector('text=Answer 300.')
      await page.keyboard.press('Control+f')
      await page.keyboard.type('needle')
      await page.waitForSelector('.find-place:has-text("2 of 2")')
      await page.waitForSelector('.is-found:has-text("NEEDLE")')
      await page.keyboard.press('Enter')
      await page.waitForSelector('.is-found .bubble')
      assert.ok(called(host, 'transcript/page').length <= 3, 'its page alone is loaded')
      assert.deepEqual(await violations(page), [])
      await page.keyboard.press('Escape')
      await page.click('.jump')
      await page.waitForSelector('text=Answer 300.')
      await atEnd(page)
    },
  )
})

test('Home goes to the very first message of a long log, End back; what comes meanwhile is not lost', async () => {
  await withApp({ prepare: (host) => fill(host, host.addAgent('Ada'), 1500) }, async ({ host, page }) => {
    await page.waitForSelector('text=Answer 1500.')
    await page.focus('.scroller')
    await page.keyboard.press('Home')
    await page.waitForSelector('.bubble:has-text("Question 1")')
    await page.waitForSelector('text=This is the beginning.')
    turn(host, agentOf(host, 'Ada'), 'Meanwhile?', 'Said meanwhile.')
    assert.equal(await page.locator('text=Said meanwhile.').count(), 0)
    await page.focus('.scroller')
    await page.keyboard.press('End')
    await page.waitForSelector('text=Said meanwhile.')
    await atEnd(page)
  })
})

test('what is new has a line above it, and it is marked as read once it was seen', async () => {
  await withApp(
    {
      prepare: (host) => {
        const ada = host.addAgent('Ada')
        fill(host, ada, 3)
        ada.view = { ...ada.view, readSeq: ada.events.length }
        host.addAgent('Bo')
        reply(host, ada, 'While you were away.')
      },
    },
    async ({ host, page }) => {
      await page.waitForSelector('.is-unread')
      const order = await page.$$eval('.line', (lines) => lines.map((line) => line.textContent ?? ''))
      assert.ok(order.findIndex((text) => text === 'New') < order.findIndex((text) => text.includes('While you were away')))
      await page.waitForFunction(() => document.querySelector('.nav-line.is-unread') === null)
      await page.waitForTimeout(700)
      assert.ok(agentOf(host, 'Ada').view.readSeq >= agentOf(host, 'Ada').events.length)
      await page.click('.agents >> text=Bo')
      await page.waitForSelector('h1:has-text("Bo")')
      await page.click('.agents >> text=Ada')
      await page.waitForSelector('h1:has-text("Ada")')
      assert.equal(await page.locator('.is-unread').count(), 0)
      rest(host, agentOf(host, 'Ada'))
    },
  )
})

test('what was typed while the connection was lost is kept once it is back', async () => {
  await withApp({ prepare: (host) => turn(host, host.addAgent('Ada'), 'Hi', 'Hello.') }, async ({ host, page }) => {
    await page.fill(box, 'before')
    await page.evaluate(() => {
      // the next connection waits, so that the draft's own time runs out without one
      const { WebSocket: Real } = window
      window.WebSocket = class extends Real {
        constructor(url: string | URL) {
          super(document.body.dataset['back'] === 'yes' ? url : new URL('/nowhere', url))
        }
      }
    })
    host.cutConnections()
    await page.waitForSelector('.banner')
    await page.fill(box, 'typed without a connection')
    await page.waitForTimeout(400)
    await page.evaluate(() => (document.body.dataset['back'] = 'yes'))
    await page.waitForSelector('.banner', { state: 'detached' })
    await page.reload()
    await page.waitForFunction((selector) => document.querySelector<HTMLTextAreaElement>(selector)?.value === 'typed without a connection', box)
  })
})

test('a model is chosen by keyboard from what it costs and can do; those on this computer are found on request', async () => {
  await withApp({ prepare: (host) => turn(host, host.addAgent('Ada'), 'Hi', 'Hello.') }, async ({ host, page }) => {
    await page.click('.model-button')
    await page.waitForSelector(
      '.model-option:has-text("US$ 3 in · 15 out per million tokens (as of 2026-11-20)"):has-text("sees pictures"):has-text("reasons")',
    )
    await page.waitForSelector('.group-why:has-text("OpenAI has no key yet")')
    await page.waitForFunction(() => document.activeElement?.matches('.model-dialog input[type=search]'))
    await page.click('text=Look for models on this computer')
    await page.waitForSelector('.local-models li:has-text("qwen4:8b"):has-text("reads 4.1K of 131.1K tokens")')
    assert.deepEqual(await violations(page), [])
    await page.focus('.model-dialog input[type=search]')
    await page.keyboard.type('claude')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForSelector('dialog', { state: 'detached' })
    assert.equal(agentOf(host, 'Ada').view.model, 'anthropic/claude-haiku-5')
  })
})
