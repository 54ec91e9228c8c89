import assert from 'node:assert/strict'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { findRepositories } from './repositories.ts'

function folders(t: TestContext, ...names: string[]): string {
  const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'nuum-repositories-')))
  t.after(() => fs.rmSync(base, { recursive: true, force: true }))
  for (const name of names) fs.mkdirSync(join(base, name), { recursive: true })
  return base
}

test('repositories are found however deep, in node_modules, bare, as a file and as a link; links are not followed', (t) => {
  const base = folders(t, 'a/b/c/d/e/f/g/h/.git', 'node_modules/p/.git', 'bare', 'file', 'link', 'closed/.git', 'head/in', '.git/modules/m')
  for (const head of ['bare/HEAD', '.git/HEAD', '.git/modules/m/HEAD']) fs.writeFileSync(join(base, head), 'ref: x\n')
  fs.writeFileSync(join(base, 'file/.git'), 'gitdir: ../bare\n')
  fs.symlinkSync('../bare', join(base, 'link/.git'))
  fs.symlinkSync(base, join(base, 'loop'))
  const { repositories, complete } = findRepositories([base], new Set([join(base, 'closed')]))
  assert.deepEqual(repositories.map(({ path, kind }) => `${kind} ${path.slice(base.length + 1)}`).toSorted(), [
    'git .git',
    'git a/b/c/d/e/f/g/h/.git',
    'git file/.git',
    'git link/.git',
    'git node_modules/p/.git',
    'head .git/modules/m',
    'head bare',
  ])
  assert.ok(complete)
})

test('a walk that met its bound says so', (t) => {
  const base = folders(t, 'a/.git', 'b/.git', 'c/.git')
  assert.equal(findRepositories([base], new Set(), { folders: 2, repositories: 100 }).complete, false)
  assert.equal(findRepositories([base], new Set(), { folders: 100, repositories: 2 }).complete, false)
  assert.equal(findRepositories([base], new Set(), { folders: 4, repositories: 3 + 1 }).complete, true)
})
