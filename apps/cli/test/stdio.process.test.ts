import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const BIN = fileURLToPath(new URL('../bin/nuum.mjs', import.meta.url))

test('a program that starts the Host speaks to it over its streams, and the Host ends with its input', async () => {
  const home = await mkdtemp(join(tmpdir(), 'nuum-stdio-'))
  try {
    const child = spawn(process.execPath, [BIN, 'serve', '--stdio', '--port', '0', '--home', home], { stdio: ['pipe', 'pipe', 'inherit'] })
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
    const lines: Record<string, unknown>[] = []
    const answered = new Promise<void>((resolve) => {
      let text = ''
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
        for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n')) {
          lines.push(JSON.parse(text.slice(0, end)) as Record<string, unknown>)
          text = text.slice(end + 1)
        }
        if (lines.length === 2) resolve()
      })
    })
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'agent/list', params: {} })}\n`)
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'no/such', params: {} })}\n`)
    await answered
    const byId = new Map(lines.map((line) => [line['id'], line]))
    assert.deepEqual(byId.get(1)?.['result'], { agents: [] })
    assert.match(JSON.stringify(byId.get(2)), /-32601/)
    child.stdin.end()
    assert.equal(await ended, 0)
  } finally {
    await rm(home, { recursive: true, force: true })
  }
})
