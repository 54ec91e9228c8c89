// Every package.json: this project's licence, not to be published, exact versions. The lockfile names no registry but npm's own.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listWorkspaces } from './source-files.mjs'

const EXACT = /^\d+\.\d+\.\d+(-[\w.]+)?$/
const FIELDS = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies']

export function checkManifests(root) {
  const files = ['package.json', ...listWorkspaces(root).map((path) => `${path}/package.json`)]
  return [...files.flatMap((file) => judgeManifest(root, file)), ...judgeLock(root), ...judgeLegal(root)]
}

function judgeManifest(root, file) {
  const manifest = JSON.parse(readFileSync(join(root, file), 'utf8'))
  const problems = []
  const say = (message) => problems.push({ file, line: 1, message })
  if (manifest.license !== 'Apache-2.0') say('"license" must be "Apache-2.0".')
  if (manifest.private !== true) say('"private" must be true.')
  if (manifest.type !== 'module') say('"type" must be "module".')
  for (const field of FIELDS) {
    for (const [name, version] of Object.entries(manifest[field] ?? {}))
      if (!EXACT.test(version)) say(`${name} must be pinned exactly, not '${version}'.`)
  }
  return problems
}

function judgeLock(root) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return Object.entries(packages)
    .filter(([, { resolved, link }]) => resolved && !link && !resolved.startsWith('https://registry.npmjs.org/'))
    .map(([name]) => ({ file: 'package-lock.json', line: 1, message: `${name} would be fetched from an address that is not npm's registry.` }))
}

function judgeLegal(root) {
  return ['LICENSE', 'NOTICE'].filter((file) => !existsSync(join(root, file))).map((file) => ({ file, line: 1, message: 'It is missing.' }))
}
