/** The app's behaviour in a real browser. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test as nodeTest } from 'node:test'
import { gzipSync } from 'node:zlib'
import { NuumError } from '@nuum/protocol'
import { answer, askPermission, endRun, rest, say, startRun, streamAnswer } from './fake-script.ts'
import { agentOf, atEnd, box, DIST, fill, fromEnd, openAppBrowser, paste, sends } from './with-app.ts'

const { skip, withApp, close } = await openAppBrowser()
after(close)
const test = (name: string, act: () => Promise<void>) => nodeTest(name, { skip }, act)

test('initial JavaScript is at most 350 kB gzip, and the page asks nobody else for anything', async () => {
  const html = readFileSync(join(DIST, 'index.html'), 'utf8')
  const scripts = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map((match) => match[1] ?? '')
  assert.ok(scripts.length > 0)
  const bytes = scripts.reduce((sum, file) => sum + gzipSync(readFileSync(join(DIST, file))).length, 0)
  assert.ok(bytes <= 350 * 1024, `${bytes} bytes`)
  for (const file of readdirSync(join(DIST, 'assets')).filter((name) => name.endsWith('.css')))
    assert.doesNotMatch(readFileSync(join(DIST, 'assets', file), 'utf8'), /url\(\s*['"]?(?:https?:)?\/\//)
})

test('a message is sent by Enter, answered in a stream, and stays after a reload; no error is logged', async () => {
  await withApp({ prepare: (host) => void host.addAgent('Ada') }, async ({ host, page, errors }) => {
    host.onSend.script = (agent, text) => void streamAnswer(host, agent, `You said **${text}**.\n\nDone.`, { pauseMs: 2 })
    await page.fill(box, 'first line')
    await page.press(box, 'Shift+Enter')
    await page.type(box, 'second line')
    await page.press(box, 'Enter')
    await page.waitForSelector('.answer strong:has-text("first line")')
    assert.equal(sends(host)[0]?.text, 'first line\nsecond line')
    assert.equal(await page.inputValue(box), '')
    await page.waitForSelector('text=built-in guide · not AI')
    await page.reload()
    await page.waitForSelector('.answer strong:has-text("first line")')
    assert.deepEqual(errors, [])
  })
})

test('Enter of an input method never sends, in any order of events', async () => {
  await withApp({ prepare: (host) => void host.addAgent('Ada') }, async ({ host, page }) => {
    await page.fill(box, 'にほんご')
    await page.evaluate((selector) => {
      const area = document.querySelector(selector)
      const key = (more: object) => area?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...more }))
      area?.dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true }))
      key({ keyCode: 229, isComposing: true })
      area?.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true }))
      key({ keyCode: 229 })
      key({ keyCode: 13 })
      key({ key: 'Process', keyCode: 229 })
    }, box)
    assert.deepEqual(sends(host), [])
    await page.waitForTimeout(80)
    await page.press(box, 'Enter')
    await page.waitForFunction((selector) => document.querySelector<HTMLTextAreaElement>(selector)?.value === '', box)
    assert.equal(sends(host)[0]?.text, 'にほんご')
  })
})

test('a draft belongs to its agent, survives a switch and a reload', async () => {
  await withApp({ prepare: (host) => ['Ada', 'Bo'].forEach((name) => host.addAgent(name)) }, async ({ host, page }) => {
    await page.fill(box, 'for Ada only')
    await page.click('.agents >> text=Bo')
    await page.waitForSelector('h1:has-text("Bo")')
    assert.equal(await page.inputValue(box), '')
    await page.fill(box, 'hello Bo')
    await page.press(box, 'Enter')
    await page.click('.agents >> text=Ada')
    await page.waitForSelector('h1:has-text("Ada")')
    assert.equal(await page.inputValue(box), 'for Ada only')
    await page.waitForFunction(() => true)
    await page.reload()
    await page.waitForFunction((selector) => document.querySelector<HTMLTextAreaElement>(selector)?.value === 'for Ada only', box)
    assert.equal(agentOf(host, 'Bo').draft, '')
    assert.deepEqual(
      sends(host).map(({ text }) => text),
      ['hello Bo'],
    )
  })
})

test('a paste of 1 MB becomes a chip at once, is sent whole, and is marked as pasted', async () => {
  await withApp({ prepare: (host) => void host.addAgent('Ada') }, async ({ host, page }) => {
    const text = 'a line of seventy characters, more or less, to paste into the field\n'.repeat(15_000)
    await page.waitForSelector(box)
    await paste(page, text)
    await page.waitForSelector('.chips li')
    await page.fill(box, 'Summarise:')
    await page.press(box, 'Enter')
    await page.waitForSelector('.bubble')
    const [sent] = sends(host)
    assert.equal(sent?.text, `Summarise:\n\n${text}`)
    assert.deepEqual(
      sent?.spans?.map(({ start, end }) => sent.text.slice(start, end).length),
      [text.length],
    )
  })
})

test('what could not be sent comes back into the field', async () => {
  await withApp({ prepare: (host) => void host.addAgent('Ada') }, async ({ host, page }) => {
    host.state.failSend = new NuumError('storage_full', 'The disk is full.')
    await page.fill(box, 'precious words')
    await page.press(box, 'Enter')
    await page.waitForSelector('.composer .failure')
    assert.equal(await page.inputValue(box), 'precious words')
  })
})

test('the last screen is shown first, older pages load upward without a jump', async () => {
  await withApp({ prepare: (host) => fill(host, host.addAgent('Ada'), 400) }, async ({ page }) => {
    await page.waitForSelector('text=Answer 400.')
    await atEnd(page)
    assert.equal(await page.locator('text=Answer 1.').count(), 0)
    await page.hover('.scroller')
    for (let turn = 0; turn < 400 && (await page.locator('text=This is the beginning').count()) === 0; turn++) {
      await page.mouse.wheel(0, -4000)
      await page.waitForTimeout(15)
    }
    await page.evaluate(() => document.querySelector('.scroller')?.scrollTo(0, 0))
    await page.waitForSelector('.bubble:has-text("Question 1")')
    assert.ok((await page.locator('.line').count()) < 120, 'only rows near the view exist')
  })
})

test('what one sends is shown, wherever one was reading', async () => {
  await withApp({ prepare: (host) => fill(host, host.addAgent('Ada'), 60) }, async ({ page }) => {
    await page.waitForSelector('text=Answer 60.')
    await page.waitForSelector('.transcript:not(.is-settling)')
    await atEnd(page)
    await page.hover('.scroller')
    await page.mouse.wheel(0, -1500)
    await page.waitForSelector('.jump')
    await page.fill(box, 'From further up')
    await page.press(box, 'Enter')
    await page.waitForSelector('.bubble:has-text("From further up")')
    await atEnd(page)
    assert.equal(await page.locator('.jump').count(), 0)
  })
})

test('prepending a page keeps what is read where it is', async () => {
  await withApp({ prepare: (host) => fill(host, host.addAgent('Ada'), 120) }, async ({ page, host }) => {
    await page.waitForSelector('text=Answer 120.')
    await page.waitForSelector('.transcript:not(.is-settling)')
    await atEnd(page)
    await page.hover('.scroller')
    const pages = () => host.calls.filter(({ method }) => method === 'transcript/page').length
    const before = pages()
    while (pages() === before) {
      await page.mouse.wheel(0, -150)
      await page.waitForTimeout(30)
    }
    const visible = () =>
      page.evaluate(() => {
        const top = document.querySelector('.scroller')?.getBoundingClientRect().top ?? 0
        const line = [...document.querySelectorAll('.bubble')]
          .map((one) => ({ text: one.textContent, y: one.getBoundingClientRect().top - top }))
          .find(({ y }) => y > 0)
        return line ?? null
      })
    const first = await visible()
    await page.waitForTimeout(600)
    const second = await visible()
    assert.equal(second?.text, first?.text)
    assert.ok(Math.abs((second?.y ?? 0) - (first?.y ?? 0)) < 12, `moved from ${first?.y} to ${second?.y}`)
  })
})

test('a stream never moves the reader, and follows again at the end', async () => {
  await withApp({ prepare: (host) => fill(host, host.addAgent('Ada'), 20) }, async ({ host, page }) => {
    await page.waitForSelector('text=Answer 20.')
    await atEnd(page)
    const ada = agentOf(host, 'Ada')
    const lines = Array.from({ length: 400 }, (_, n) => `line ${n} of a long answer`).join('\n\n')
    const streaming = streamAnswer(host, ada, lines, { pieceChars: 120, pauseMs: 12 })
    await page.waitForSelector('text=line 10 of')
    await atEnd(page)
    await page.hover('.scroller')
    await page.mouse.wheel(0, -300)
    await page.waitForSelector('.jump')
    const top = await page.evaluate(() => document.querySelector('.scroller')?.scrollTop)
    await page.waitForTimeout(400)
    assert.equal(await page.evaluate(() => document.querySelector('.scroller')?.scrollTop), top)
    await page.click('.jump')
    await streaming
    await page.waitForSelector('text=line 399 of')
    await atEnd(page)
    assert.ok((await fromEnd(page)) < 30)
  })
})

test('a lost connection is told, comes back by itself, and nothing is missing or doubled', async () => {
  await withApp({ prepare: (host) => fill(host, host.addAgent('Ada'), 2) }, async ({ host, page }) => {
    await page.waitForSelector('text=Answer 2.')
    const ada = agentOf(host, 'Ada')
    host.cutConnections()
    say(host, ada, 'said while away')
    await page.waitForSelector('.bubble:has-text("said while away")')
    say(host, ada, 'said afterwards')
    await page.waitForSelector('.bubble:has-text("said afterwards")')
    assert.equal(await page.locator('.bubble:has-text("said while away")').count(), 1)
    assert.equal(await page.locator('.banner').count(), 0)
  })
})

test('a permission shows exactly what is asked and is answered in place', async () => {
  await withApp({ prepare: (host) => void askPermission(host, host.addAgent('Ada')) }, async ({ host, page }) => {
    await page.waitForSelector('.ask mark:has-text("U+202E")')
    assert.doesNotMatch((await page.textContent('.tool-what')) ?? '', /\u202e/)
    await page.click('text=Deny with a word')
    await page.fill('.answer-form input', 'use trash instead')
    await page.press('.answer-form input', 'Enter')
    await page.waitForSelector('text=You denied this: use trash instead')
    assert.ok(host.calls.some(({ method, params }) => method === 'approval/respond' && JSON.stringify(params).includes('use trash instead')))
  })
})

test('the Inbox is answered by keys', async () => {
  await withApp({ hash: '#/inbox', prepare: (host) => void askPermission(host, host.addAgent('Ada')) }, async ({ host, page }) => {
    await page.focus('.inbox-item')
    await page.keyboard.press('a')
    await page.waitForSelector('text=Nothing needs you.')
    assert.ok(host.calls.some(({ method, params }) => method === 'inbox/answer' && JSON.stringify(params).includes('allow')))
  })
})

test('a failed run says so in plain words, the raw report one click away; an interrupted one can be resumed', async () => {
  await withApp(
    {
      prepare: (host) => {
        const ada = host.addAgent('Ada', { model: 'anthropic/claude-sonnet-5-5' })
        say(host, ada, 'go')
        endRun(host, ada, startRun(host, ada), { status: 'failed', error: { kind: 'provider.auth', message: 'Anthropic refused the key.' } })
        say(host, ada, 'again')
        endRun(host, ada, startRun(host, ada), { status: 'interrupted' })
      },
    },
    async ({ host, page }) => {
      await page.waitForSelector('text=The provider did not accept the key')
      await page.click('text=What exactly was reported')
      await page.waitForSelector('.raw pre:has-text("provider.auth")')
      await page.click('.end.is-interrupted >> text=Resume')
      await page.waitForFunction(() => true)
      assert.ok(host.calls.some(({ method }) => method === 'chat/resume'))
    },
  )
})

test('Stop, and Escape twice, stop a run; a queued message can be taken back', async () => {
  await withApp({ prepare: (host) => void host.addAgent('Ada') }, async ({ host, page }) => {
    const ada = agentOf(host, 'Ada')
    await page.waitForSelector(box)
    const runId = startRun(host, ada)
    host.update(ada, { state: 'working', runId, since: new Date().toISOString(), doing: 'shell' })
    await page.waitForSelector('.run-bar >> text=shell')
    await page.fill(box, 'later, please')
    await page.press(box, 'Enter')
    await page.click('.queue button')
    await page.waitForSelector('.queue', { state: 'detached' })
    await page.press(box, 'Escape')
    await page.press(box, 'Escape')
    await page.waitForSelector('text=You stopped this.')
    rest(host, ada)
  })
})

test('hostile Markdown, names and output are inert and fetch nothing', async () => {
  const evil =
    '<img src=x onerror="window.pwned=1"> <svg onload="window.pwned=1"> [x](javascript:window.pwned=1) ![p](http://127.0.0.1:9/p.png?d=secret) ![q](//127.0.0.1:9/q.png)\n\n<details ontoggle=window.pwned=1 open>\n\n<iframe src="javascript:parent.pwned=1"></iframe>\n\n<a href="vscode://x">v</a> <script>window.pwned=1</script>'
  await withApp(
    {
      prepare: (host) => {
        const agent = host.addAgent('<img src=x onerror=window.pwned=1>')
        say(host, agent, evil)
        const runId = startRun(host, agent)
        answer(host, agent, runId, 1, [
          { text: evil },
          { call: { name: '<b>x</b>', args: JSON.stringify({ command: evil }), result: evil, ok: false } },
        ])
        endRun(host, agent, runId)
      },
    },
    async ({ page, host, errors }) => {
      const asked: string[] = []
      page.on('request', (request) => asked.push(request.url()))
      await page.waitForSelector('.tool-body')
      await page.waitForTimeout(200)
      assert.equal(await page.evaluate(() => (window as { pwned?: number }).pwned), undefined)
      assert.equal(await page.locator('main img, main iframe, main svg:not(.icon):not(.state-mark), main script, main details:not(.raw)').count(), 0)
      const live = await page.$$eval('main a', (links) => links.map((link) => [link.getAttribute('href') ?? '', link.getAttribute('rel') ?? '']))
      for (const [href, rel] of live) assert.ok(/^(https?|mailto):/.test(href ?? '') && (rel ?? '').includes('noopener'), href)
      assert.match((await page.textContent('.bubble')) ?? '', /<img src=x onerror=/)
      assert.deepEqual(
        asked.filter((url) => !url.startsWith(host.url)),
        [],
      )
      assert.deepEqual(errors, [])
    },
  )
})

test('the first steps: guide, name, first word; never again afterwards', async () => {
  await withApp({ firstRun: true }, async ({ host, page }) => {
    await page.click('.mind:has(.badge)')
    await page.click('text=Researcher')
    assert.equal(await page.inputValue('input[required]'), 'Ada')
    await page.click('text=Next')
    await page.fill('textarea', 'Hello')
    await page.press('textarea', 'Enter')
    await page.waitForSelector('.bubble:has-text("Hello")')
    assert.equal(host.settings.get('ui.firstRunDone'), true)
    await page.reload()
    await page.waitForSelector('.bubble:has-text("Hello")')
    assert.equal(await page.locator('.first-run').count(), 0)
  })
})

test('the language changes at once and is kept', async () => {
  await withApp({ hash: '#/settings', prepare: (host) => void host.addAgent('Ada') }, async ({ host, page }) => {
    await page.selectOption('select >> nth=0', 'zh')
    await page.waitForSelector('h1:has-text("设置")')
    assert.equal(host.settings.get('ui.language'), 'zh')
    assert.equal(await page.getAttribute('html', 'lang'), 'zh-Hans')
  })
})

test('everything can be reached by keyboard', async () => {
  await withApp({ prepare: (host) => ['Ada', 'Bo'].forEach((name) => host.addAgent(name)) }, async ({ page }) => {
    await page.waitForSelector(box)
    await page.keyboard.press('Control+k')
    await page.waitForFunction(() => document.activeElement?.matches('.find input'))
    await page.keyboard.type('bo')
    await page.keyboard.press('Enter')
    await page.waitForSelector('h1:has-text("Bo")')
    await page.keyboard.press('Alt+ArrowUp')
    await page.waitForSelector('h1:has-text("Ada")')
    await page.keyboard.press('Control+/')
    await page.waitForSelector('dialog[open]')
    await page.keyboard.press('Escape')
    await page.waitForSelector('dialog', { state: 'detached' })
  })
})
