import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, describe, test } from 'node:test'
import type { Zones } from '@nuum/protocol'
import { loadPty, probeSandbox } from '@nuum/sandbox'
import type { Confirm } from '@nuum/tools'
import { createShells } from './shells.ts'

const sandbox = await probeSandbox()
const spawnPty = await loadPty()
const skip = sandbox.bwrap === null ? `no bubblewrap: ${sandbox.state.detail} ${sandbox.state.mend ?? ''}` : false
if (skip !== false) console.error(`SKIPPED: what commands leave for git is not tried here: ${skip}`)

const evilConfig = (base: string): string => `[core]\\n\\trepositoryformatversion = 0\\n\\tfsmonitor = "touch ${base}/pwned; false"\\n`

function bench(t: TestContext, answer: (text: string) => boolean | Promise<boolean>) {
  const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'nuum-review-')))
  const grant = join(base, 'grant')
  for (const folder of ['scratch', 'spool', 'grant']) fs.mkdirSync(join(base, folder))
  const zones: Zones = {
    place: 'a_1',
    cwd: join(base, 'scratch'),
    shellHome: join(base, 'scratch/.home'),
    spool: join(base, 'spool'),
    mode: 'auto',
    rooms: [
      { path: join(base, 'scratch'), access: 'rw', trusted: true, kind: 'scratch' },
      { path: grant, access: 'rw', trusted: true, kind: 'grant' },
    ],
    denied: [],
  }
  const shells = createShells({ spawnPty, sandbox, userHome: join(base, 'home'), env: process.env, newId: () => randomBytes(16).toString('hex') })
  t.after(async () => {
    await shells.closeAll()
    fs.rmSync(base, { recursive: true, force: true })
  })
  const asked: { text: string; detail: Record<string, unknown> }[] = []
  const confirm: Confirm = async (text, detail) => {
    asked.push({ text, detail })
    return { allowed: await answer(text), said: 'no thanks' }
  }
  return {
    base,
    grant,
    asked,
    shells,
    init: (...names: string[]) => {
      for (const name of names) {
        fs.mkdirSync(dirname(join(grant, name)), { recursive: true })
        execFileSync('git', ['init', '-q', join(grant, name)])
      }
    },
    run: (command: string) =>
      shells.run(zones, `cd ${grant}; ${command}`, { timeoutMs: 20_000, onOutput: () => {}, signal: new AbortController().signal, confirm }),
    /** As the person: nothing that an agent left may run. */
    personsGit: (folder: string, args: readonly string[] = ['status']) => {
      try {
        execFileSync('git', ['-c', 'user.email=a@b', '-c', 'user.name=n', ...args], { cwd: join(grant, folder), stdio: 'pipe' })
      } catch (cause) {
        assert.ok(cause instanceof Error && 'status' in cause)
      }
      assert.ok(!fs.existsSync(join(base, 'pwned')) && !fs.existsSync(join(grant, 'pwned')), `code of the agent ran in ${folder}`)
    },
  }
}

describe('what a command leaves for git to run', { skip, concurrency: false }, () => {
  test('a commondir that points to another repository is asked for, and gone after a no', async (t) => {
    const { run, init, grant, asked, personsGit } = bench(t, () => false)
    init('.')
    const evil = `git init -q evil; printf '${evilConfig(grant)}' > evil/.git/config; cp .git/HEAD evil/.git/HEAD; echo ${grant}/evil/.git > .git/commondir`
    const outcome = await run(evil)
    assert.equal(asked.length, 1)
    assert.match(asked[0]?.text ?? '', /\.git\/commondir \(new\)/)
    assert.match(JSON.stringify(asked[0]?.detail), /fsmonitor/)
    assert.match(outcome.note ?? '', /did not allow[^]*commondir[^]*refused-1[^]*no thanks/)
    assert.ok(!fs.existsSync(join(grant, '.git/commondir')))
    personsGit('.')
    personsGit('evil')
  })

  test('hooks and config that did not exist are asked for, and gone after a no; a yes keeps them', async (t) => {
    let isAllowed = false
    const { run, init, grant, asked, personsGit } = bench(t, () => isAllowed)
    init('.')
    fs.rmSync(join(grant, '.git/hooks'), { recursive: true })
    const hook = `mkdir -p .git/hooks && printf '#!/bin/sh\\ntouch ${grant}/pwned\\n' > .git/hooks/post-commit && chmod +x .git/hooks/post-commit`
    await run(hook)
    assert.ok(!fs.existsSync(join(grant, '.git/hooks/post-commit')))
    personsGit('.', ['commit', '-q', '--allow-empty', '-m', 'x'])
    assert.equal((await run('true')).note, null)
    assert.equal(asked.length, 1)
    isAllowed = true
    assert.equal((await run('echo ok > .git/hooks/pre-push')).note, null)
    assert.equal(fs.readFileSync(join(grant, '.git/hooks/pre-push'), 'utf8'), 'ok\n')
    assert.equal((await run('true')).note, null)
    assert.equal(asked.length, 2)
  })

  test('a repository moved away and copied back has no config of the agent', async (t) => {
    const { run, init, grant, personsGit, asked } = bench(t, () => false)
    init('proj')
    const config = fs.readFileSync(join(grant, 'proj/.git/config'), 'utf8')
    await run(`mv proj p2 && cp -r p2 proj && printf '${evilConfig(grant)}' > proj/.git/config`)
    assert.match(asked[0]?.text ?? '', /proj\/\.git\/config \(changed\)/)
    assert.equal(fs.readFileSync(join(grant, 'proj/.git/config'), 'utf8'), config)
    personsGit('proj')
    personsGit('p2')
  })

  test('new repositories, bare ones and links are made inert; moving one asks nothing', async (t) => {
    const { run, init, grant, personsGit, asked } = bench(t, () => false)
    init('a')
    await run('mv a b')
    assert.equal(asked.length, 0)
    for (const [folder, make] of [
      ['n', `git init -q n && printf '${evilConfig(grant)}' > n/.git/config`],
      ['bare', `git init -q --bare bare && printf '${evilConfig(grant)}\\tworktree = ${grant}\\n' > bare/config`],
      ['f', `mkdir f && git init -q --bare hid && printf '${evilConfig(grant)}' > hid/config && echo "gitdir: ${grant}/hid" > f/.git`],
      ['l', `mkdir l && git init -q --bare hid2 && printf '${evilConfig(grant)}' > hid2/config && ln -s ${grant}/hid2 l/.git`],
    ] as const) {
      const { note } = await run(make)
      assert.match(note ?? '', /did not allow/, folder)
      personsGit(folder)
      assert.equal((await run('true')).note, null, folder)
    }
    assert.equal(asked.length, 4)
  })

  test('what a background job does after its command is found at the next one', async (t) => {
    const { run, init, grant, asked, personsGit } = bench(t, () => false)
    init('.')
    await run(
      `(until [ -e go ]; do sleep 0.05; done; printf '${evilConfig(grant)}' > .git/config.worktree; echo x > .git/commondir; touch done; sleep 60) &`,
    )
    fs.writeFileSync(join(grant, 'go'), '')
    while (!fs.existsSync(join(grant, 'done'))) await new Promise((resolve) => setTimeout(resolve, 20))
    await run('true')
    assert.equal(asked.length, 1)
    assert.ok(!fs.existsSync(join(grant, '.git/commondir')) && !fs.existsSync(join(grant, '.git/config.worktree')))
    personsGit('.')
  })

  test('what the person does between two commands is not asked for', async (t) => {
    const { run, init, grant, asked } = bench(t, () => false)
    init('.')
    await run('true')
    init('mine')
    execFileSync('git', ['config', 'a.b', 'c'], { cwd: grant })
    assert.equal((await run('true')).note, null)
    assert.equal(asked.length, 0)
  })

  test('while the person is asked it lies aside; a change behind their back is not allowed with it', async (t) => {
    const state = { grant: '', isInert: false }
    const { run, init, grant, personsGit } = bench(t, () => {
      state.isInert = !fs.existsSync(join(state.grant, 'n/.git'))
      const [aside] = fs.readdirSync(join(state.grant, 'n')).filter((name) => name.startsWith('.git-refused'))
      fs.appendFileSync(join(state.grant, 'n', aside ?? '', 'config'), `[core]\n\tfsmonitor = "touch ${state.grant}/pwned; false"\n`)
      return true
    })
    state.grant = grant
    init('.')
    const { note } = await run('git init -q n')
    assert.ok(state.isInert)
    assert.match(note ?? '', /changed again while the person was asked/)
    personsGit('n')
  })

  test('an open question does not hold up the end of the shells, and counts as a no', async (t) => {
    const asking = Promise.withResolvers<void>()
    const { run, grant, shells } = bench(t, () => {
      asking.resolve()
      return new Promise(() => {})
    })
    const outcome = run('git init -q n')
    await asking.promise
    await shells.closeAll()
    assert.match((await outcome).note ?? '', /did not allow/)
    assert.ok(!fs.existsSync(join(grant, 'n/.git')))
  })

  test('repositories deep down, under node_modules and beyond the 200th are protected', async (t) => {
    const deep = 'a/b/c/d/e/f/g/h/i'
    const { run, init, grant, asked } = bench(t, () => false)
    init(deep, 'node_modules/p', 'zz')
    for (let n = 0; n < 205; n++) fs.cpSync(join(grant, 'zz/.git'), join(grant, `r${n}/.git`), { recursive: true })
    const before = fs.readFileSync(join(grant, 'zz/.git/config'), 'utf8')
    const all = [deep, 'node_modules/p', 'zz', 'r0', 'r204']
    for (const name of all) await run(`echo "#x" >> ${name}/.git/config; echo x > ${name}/.git/hooks/pre-commit`)
    for (const name of all) {
      assert.equal(fs.readFileSync(join(grant, name, '.git/config'), 'utf8'), before, name)
      assert.ok(!fs.existsSync(join(grant, name, '.git/hooks/pre-commit')), name)
    }
    assert.equal(asked.length, 0, 'prevented, not only found afterwards')
  })
})
