// `npm run docs`: writes docs/rpc.md and docs/settings.md from the tables that the code itself uses.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HOST_METHODS, HOST_NOTIFICATIONS } from '../packages/protocol/src/index.ts'
import { SETTING_KEYS } from '../packages/host/src/settings/keys.ts'

const DOCS = join(import.meta.dirname, '..', 'docs')
const NOTE = '<!-- Made by `npm run docs` from the code; a change here is lost. -->'

function schemaOf(schema, io) {
  return schema.toJSONSchema({ unrepresentable: 'any', io, reused: 'inline', cycles: 'ref' })
}

/** A schema in a few words: `{agent: string, limit?: integer}`. */
function shape(json, depth = 0) {
  if (json === true || Object.keys(json).filter((key) => key !== '$schema').length === 0) return 'any'
  if (json.const !== undefined) return JSON.stringify(json.const)
  if (json.enum) return json.enum.length > 12 ? 'string' : json.enum.map((value) => JSON.stringify(value)).join(' \\| ')
  const options = json.anyOf ?? json.oneOf
  if (options) return [...new Set(options.map((one) => shape(one, depth)))].join(' \\| ')
  if (json.type === 'array') return `[${json.items ? shape(json.items, depth) : 'any'}]`
  if (json.type !== 'object') return String(json.type ?? 'any')
  if (!json.properties) return `{…: ${typeof json.additionalProperties === 'object' ? shape(json.additionalProperties, depth) : 'any'}}`
  if (depth > 3) return '{…}'
  const required = new Set(json.required ?? [])
  return `{${Object.entries(json.properties)
    .map(([key, inner]) => `${key}${required.has(key) ? '' : '?'}: ${shape(inner, depth + 1)}`)
    .join(', ')}}`
}

function rpcPage() {
  const methods = Object.entries(HOST_METHODS).map(
    ([name, { params, result }]) =>
      `### \`${name}\`\n\n- params: ${shape(schemaOf(params, 'input'))}\n- result: ${shape(schemaOf(result, 'output'))}\n`,
  )
  const notifications = Object.entries(HOST_NOTIFICATIONS).map(
    ([name, params]) => `### \`${name}\`\n\n- params: ${shape(schemaOf(params, 'output'))}\n`,
  )
  return `${NOTE}\n\n# The Host's methods\n
JSON-RPC 2.0 over the WebSocket \`/rpc\` of the local server, signed in by the cookie of a one-time address or by \`Authorization: Bearer\` with the
token of \`host.lock\`. Requests are parsed strictly; an error carries \`data.kind\` from a closed list, and a \`message\` that says what to do.
A name with \`?\` may be left out.\n\n${methods.join('\n')}\n## Notifications\n\n${notifications.join('\n')}`
}

function settingsPage() {
  const rows = SETTING_KEYS.map(
    ({ key, default: fallback, meaning, perAgent }) =>
      `| \`${key}\` | \`${JSON.stringify(fallback)}\` | ${perAgent ? 'yes' : ''} | ${meaning.replaceAll('|', '\\|')} |`,
  )
  return `${NOTE}\n\n# Settings\n
\`nuum settings get KEY\`, \`nuum settings set KEY VALUE [--agent NAME]\`; values are JSON. Where an agent has a value of its own, it wins.\n
| key | default | per agent | meaning |\n|---|---|---|---|\n${rows.join('\n')}\n`
}

const pages = () => Object.entries({ 'rpc.md': rpcPage(), 'settings.md': settingsPage() })

/** The pages that no longer say what the code says. */
export function staleDocs() {
  return pages()
    .filter(([name, text]) => !existsSync(join(DOCS, name)) || readFileSync(join(DOCS, name), 'utf8') !== text)
    .map(([name]) => ({ file: `docs/${name}`, line: 1, message: 'Stale: npm run docs' }))
}

if (import.meta.main ?? process.argv[1] === import.meta.filename) for (const [name, text] of pages()) writeFileSync(join(DOCS, name), text)
