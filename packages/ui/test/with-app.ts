/** Opens the app in a real browser against the fake host, under the policy that the Host serves it with. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { launchBrowser, type TestBrowser } from '@nuum/testkit'
import { type FakeAgent, type FakeHost, startFakeHost } from './fake-host.ts'
import { answer, endRun, say, startRun } from './fake-script.ts'

export const DIST = join(import.meta.dirname, '..', 'dist')
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export type Opened = { readonly host: FakeHost; readonly page: Page; readonly context: BrowserContext; readonly errors: string[] }
export type OpenOptions = { firstRun?: boolean; hash?: string; prepare?: (host: FakeHost) => void }
export type AppBrowser = {
  readonly skip: string | false
  readonly withApp: (options: OpenOptions, act: (opened: Opened) => Promise<void>) => Promise<void>
  readonly close: () => Promise<void>
}

export async function openAppBrowser(): Promise<AppBrowser> {
  const found: TestBrowser = existsSync(join(DIST, 'index.html')) ? await launchBrowser() : { reason: 'the app is not built: run `npm run build`' }
  if ('reason' in found) return { skip: found.reason, withApp: async () => undefined, close: async () => undefined }
  const withApp: AppBrowser['withApp'] = async (options, act) => {
    const host = await startFakeHost({ firstRun: options.firstRun ?? false })
    const context = await found.browser.newContext({
      viewport: { width: 1100, height: 760 },
      colorScheme: 'light',
      reducedMotion: 'reduce',
      locale: 'en-US',
    })
    try {
      options.prepare?.(host)
      const page = await context.newPage()
      page.setDefaultTimeout(30_000)
      const errors: string[] = []
      page.on('pageerror', (error) => errors.push(error.message))
      page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
      await page.goto(host.url + (options.hash ?? ''))
      await act({ host, page, context, errors })
    } finally {
      await context.close()
      await host.close()
    }
  }
  return { skip: false, withApp, close: found.close }
}

export const box = '.composer textarea'
export const agentOf = (host: FakeHost, name: string): FakeAgent => {
  const agent = [...host.agents.values()].find(({ view }) => view.name === name)
  assert.ok(agent)
  return agent
}
export const sends = (host: FakeHost) =>
  host.calls.filter(({ method }) => method === 'chat/send').map(({ params }) => params as { text: string; spans?: { start: number; end: number }[] })
export const atEnd = (page: Page) =>
  page.waitForFunction(() => {
    const element = document.querySelector('.scroller')
    return element !== null && element.scrollHeight - element.scrollTop - element.clientHeight < 30
  })
export const fromEnd = (page: Page) =>
  page.evaluate(() => {
    const element = document.querySelector('.scroller')
    return element ? element.scrollHeight - element.scrollTop - element.clientHeight : -1
  })

/** A turn of many rows, with code and tools in it. */
export function fill(host: FakeHost, agent: FakeAgent, turns: number): void {
  for (let turn = 1; turn <= turns; turn++) {
    say(host, agent, `Question ${turn}`)
    const runId = startRun(host, agent)
    answer(host, agent, runId, 1, [{ call: { name: 'read', args: `{"path":"file-${turn}.ts"}`, result: 'content' } }])
    answer(host, agent, runId, 2, [{ text: `Answer ${turn}.\n\n\`\`\`ts\nconst turn = ${turn}\n\`\`\`\n\nAnd more.` }])
    endRun(host, agent, runId)
  }
}

export async function paste(page: Page, text: string): Promise<void> {
  await page.focus(box)
  await page.evaluate(
    ([selector, pasted]) => {
      const data = new DataTransfer()
      data.setData('text/plain', pasted ?? '')
      document.querySelector(selector ?? '')?.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
    },
    [box, text],
  )
}

/** Through the debugger's own evaluation, which the page's policy does not bind. */
export async function violations(page: Page): Promise<unknown[]> {
  await page.evaluate(`${AXE}; undefined`)
  return page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: {
        run: (context: Document, options: object) => Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }>
      }
    }
    const { violations: list } = await axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
    return list.map(({ id, nodes }) => ({
      id,
      nodes: nodes.slice(0, 3).map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary ?? ''}`),
    }))
  })
}
