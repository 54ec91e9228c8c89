/**
 * Runs the scripted provider by hand: `node serve.ts [script.json] [--port N]`. The file holds either a list of replies or
 * the options of startScriptedProvider; without a file every request gets one friendly sentence. Prints the URL.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { isObject } from './json-access.ts'
import type { Reply, ScriptedProviderOptions } from './script.ts'
import { startScriptedProvider } from './server.ts'

const greeting: Reply = { text: 'Hello from the scripted provider.' }

function optionsFrom(path: string | undefined): ScriptedProviderOptions {
  if (path === undefined) return { otherwise: greeting }
  const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
  if (Array.isArray(value)) return { script: value, otherwise: greeting }
  if (!isObject(value)) throw new Error(`${path} must hold a list of replies, or an object with "script" and options.`)
  return { otherwise: greeting, ...value }
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { port: { type: 'string' } } })
const options = optionsFrom(positionals[0])
const provider = await startScriptedProvider(values.port === undefined ? options : { ...options, port: Number(values.port) })
process.stdout.write(`${provider.url}\n`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    process.stderr.write(`${JSON.stringify(provider.stats())}\n`)
    void provider.close()
  })
}
