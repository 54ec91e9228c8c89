import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const entry = fileURLToPath(new URL('../src/scripted-provider/serve.ts', import.meta.url))

test('run by hand it prints its URL, plays the script file and stops on a signal', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'nuum-serve-'))
  const file = join(folder, 'script.json')
  writeFileSync(file, JSON.stringify([{ text: 'from the file' }]))
  const child = spawn(process.execPath, [entry, file], { stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = once(child, 'close')
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const url = line.toString().trim()
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/)
    const ask = async (): Promise<string> => {
      const body = JSON.stringify({ model: 'scripted-model', messages: [{ role: 'user', content: 'Go.' }] })
      return (await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers: { authorization: 'Bearer k' }, body })).text()
    }
    assert.match(await ask(), /from the file/)
    assert.match(await ask(), /Hello from the scripted provider/)
    child.kill('SIGTERM')
    assert.deepEqual(await closed, [0, null])
  } finally {
    child.kill('SIGKILL')
    await closed
    rmSync(folder, { recursive: true })
  }
})
