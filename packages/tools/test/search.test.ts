import assert from 'node:assert/strict'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { bench, hasSandbox } from './bench.ts'

for (const confined of [false, true]) {
  const skip = confined && !hasSandbox ? 'no sandbox works on this machine' : false
  describe(confined ? 'search inside the mounts' : 'search without a sandbox', { skip }, () => {
    test('D16: a pattern that begins with a dash or holds brackets is found as it stands', async (t) => {
      const { call, put } = bench(t, { confined })
      put('todo.md', '- [ ] task\nx -77 y\nrun --help now\na -> b\n--pre=sh\nplain\n')
      for (const [pattern, line] of [
        ['- [ ]', '1:- [ ] task'],
        ['-77', '2:x -77 y'],
        ['--help', '3:run --help now'],
        ['->', '4:a -> b'],
        ['--pre=sh', '5:--pre=sh'],
        ['-e', null],
        ['--files', null],
      ] as const) {
        const { text, ok } = await call('grep', { pattern })
        assert.ok(ok, pattern)
        assert.equal(text, line === null ? text : `todo.md\n${line}`, pattern)
        if (line === null) assert.match(text, /^No matches/)
      }
      assert.match((await call('glob', { pattern: '--pre=sh' })).text, /^No files match/)
    })

    test('D17: a broken expression is explained, not called "no matches"', async (t) => {
      const { call, put } = bench(t, { confined })
      put('f', 'x(\n')
      const broken = await call('grep', { pattern: '(' })
      assert.ok(!broken.ok && /not a valid regular expression[^]*unclosed group/.test(broken.text))
      assert.equal((await call('grep', { pattern: 'x\\(' })).text, 'f\n1:x(')
    })

    test('matches with context, in a file, without case; CJK', async (t) => {
      const { call, put } = bench(t, { confined })
      put('a/f.txt', 'one\ntwo 数据库\nthree\nfour\n')
      put('.hidden', 'three\n')
      assert.equal((await call('grep', { pattern: 'two', path: 'a/f.txt', context: 1 })).text, 'a/f.txt\n1-one\n2:two 数据库\n3-three')
      assert.equal((await call('grep', { pattern: '(?i)TWO' })).meta?.['matches'], 1)
      assert.equal((await call('grep', { pattern: '数据' })).meta?.['matches'], 1)
      assert.equal((await call('grep', { pattern: 'three' })).meta?.['matches'], 2)
    })

    test('.git, node_modules and ignored files are left out unless they are named', async (t) => {
      const { call, put } = bench(t, { confined })
      for (const path of ['src/x.js', 'node_modules/p/x.js', '.git/x.js', 'dist/x.js']) put(path, 'needle\n')
      put('.gitignore', 'dist/\n')
      assert.equal((await call('grep', { pattern: 'needle' })).text, 'src/x.js\n1:needle')
      assert.equal((await call('glob', { pattern: '**/*.js' })).text, 'src/x.js')
      assert.equal((await call('glob', { pattern: '*.js', path: 'node_modules' })).text, 'node_modules/p/x.js')
      assert.equal((await call('grep', { pattern: 'needle', path: 'node_modules/p' })).meta?.['matches'], 1)
    })

    test('a pattern that leaves the folder is told, not called "no files"', async (t) => {
      const { call, put, room } = bench(t, { confined })
      put('a/f.txt', 'x\n')
      for (const pattern of ['../../*', '/etc/*', '~/*.txt', 'a/../../x']) {
        const { ok, text } = await call('glob', { pattern })
        assert.ok(!ok && /leads out of the folder[^]*as path/.test(text), `${pattern}: ${text}`)
      }
      put('b [x]/{d}/f.txt', 'x\n')
      put('a/b/g.txt', 'x\n')
      for (const pattern of [`${room}/a/*.txt`, 'a/*.txt', './a/*.txt']) assert.equal((await call('glob', { pattern })).text, 'a/f.txt', pattern)
      assert.equal((await call('glob', { pattern: '**/f.txt', path: 'b [x]' })).text, 'b [x]/{d}/f.txt')
      assert.equal((await call('glob', { pattern: 'b/*', path: 'a' })).text, 'a/b/g.txt')
    })

    test('D12: what lies behind a link is not found; the neighbour is', async (t) => {
      const { call, put, base, room } = bench(t, { confined })
      put('in.txt', 'needle inside\n')
      fs.writeFileSync(join(base, 'outside/secret.txt'), 'needle outside\n')
      fs.writeFileSync(join(base, 'closed/memory.txt'), 'needle closed\n')
      fs.symlinkSync(join(base, 'outside'), join(room, 'out'))
      fs.symlinkSync(join(base, 'outside/secret.txt'), join(room, 'link.txt'))
      fs.symlinkSync(join(base, 'closed'), join(room, 'mem'))
      assert.equal((await call('grep', { pattern: 'needle' })).text, 'in.txt\n1:needle inside')
      assert.equal((await call('glob', { pattern: '**/*.txt' })).text, 'in.txt')
      for (const path of ['out', 'link.txt', 'mem', 'mem/memory.txt', '../outside', '..', '/']) {
        for (const output of [await call('grep', { pattern: 'needle', path }), await call('glob', { pattern: '**', path })])
          assert.ok(!output.ok && !output.text.includes('needle'), path)
      }
    })

    test('a denied folder inside a granted one is not searched', async (t) => {
      const place = bench(t, { confined })
      const inner = join(place.room, 'closed')
      const { call, put } = {
        ...bench(t, {
          confined,
          zones: { cwd: place.room, rooms: [{ path: place.room, access: 'rw', trusted: false, kind: 'grant' }], denied: [inner] },
        }),
        put: place.put,
      }
      put('closed/x', 'needle\n')
      put('open/x', 'needle\n')
      const found = await call('grep', { pattern: 'needle' })
      assert.equal(found.text.split('\n[')[0], 'open/x\n1:needle')
      assert.equal(found.origin, 'foreign')
      assert.equal((await call('glob', { pattern: '**/x' })).text.split('\n[')[0], 'open/x')
    })

    test('long results are cut and say so; a stop ends the search', async (t) => {
      const place = bench(t, { confined })
      place.put('many', 'needle\n'.repeat(2000))
      assert.match((await place.call('grep', { pattern: 'needle' })).text, /\[Stopped after 250 matches/)
    })

    test('with a yes a folder outside is searched, and only that', async (t) => {
      const { call, base, asked } = bench(t, { confined, answer: 'allow' })
      fs.writeFileSync(join(base, 'outside/f'), 'needle\n')
      fs.writeFileSync(join(base, 'closed/f'), 'needle\n')
      fs.symlinkSync(join(base, 'closed/f'), join(base, 'outside/link'))
      const found = await call('grep', { pattern: 'needle', path: '../outside' })
      assert.equal(found.text, `${base}/outside/f\n1:needle`)
      assert.equal(found.origin, 'foreign')
      assert.deepEqual(
        asked.map(({ detail }) => detail),
        [{ path: join(base, 'outside'), access: 'read' }],
      )
    })
  })
}
