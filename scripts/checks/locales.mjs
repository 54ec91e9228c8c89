// Every text of the app exists in every language, with the same placeholders.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const FOLDER = 'packages/ui/src/locales'
const TABLE = /^(en|zh)([\w.-]*)\.(ts|json)$/

export async function checkLocales(root) {
  const folder = join(root, FOLDER)
  if (!existsSync(folder)) return []
  const files = readdirSync(folder).filter((name) => TABLE.test(name) && !name.endsWith('.test.ts'))
  const english = files.filter((name) => name.startsWith('en'))
  const chinese = files.filter((name) => name.startsWith('zh'))
  if (english.length === 0 || chinese.length === 0)
    return [{ file: FOLDER, line: 1, message: 'There must be texts in English (en.*) and in Chinese (zh.*).' }]
  const [en, zh] = await Promise.all([english, chinese].map((names) => readTexts(folder, names)))
  return [...compare(en, zh, english[0], chinese[0]), ...compare(zh, en, chinese[0], english[0])]
}

async function readTexts(folder, names) {
  const texts = new Map()
  for (const name of names) {
    const path = join(folder, name)
    const tables = name.endsWith('.json') ? [JSON.parse(readFileSync(path, 'utf8'))] : Object.values(await import(pathToFileURL(path).href))
    for (const table of tables) flatten(table, '', texts)
  }
  return texts
}

function flatten(value, key, texts) {
  if (value !== null && typeof value === 'object') {
    for (const [name, inner] of Object.entries(value)) flatten(inner, key === '' ? name : `${key}.${name}`, texts)
  } else if (key !== '') texts.set(key, value)
}

function compare(from, to, fromName, toName) {
  const problems = []
  for (const [key, text] of from) {
    if (!to.has(key)) problems.push({ file: `${FOLDER}/${toName}`, line: 1, message: `'${key}' is missing (it stands in ${fromName}).` })
    else if (to.get(key) === '' && text !== '') problems.push({ file: `${FOLDER}/${toName}`, line: 1, message: `'${key}' is empty.` })
    else if (placeholders(text) !== placeholders(to.get(key))) {
      problems.push({ file: `${FOLDER}/${toName}`, line: 1, message: `'${key}' has other placeholders than in ${fromName}.` })
    }
  }
  return problems
}

function placeholders(text) {
  const names = typeof text === 'string' ? [...text.matchAll(/\{(\w+)/g)].map(([, name]) => name) : []
  return [...new Set(names)].sort().join()
}
