import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApprovalId } from '@nuum/protocol'
import type { Ask } from './run/run-fold.ts'
import { askText, readReply } from './terminal.ts'

const ask = (kind: Ask['kind'], detail: Ask['detail'] = {}): Ask => ({ id: 'p_0' as ApprovalId, kind, text: 'Run it?', detail })

test('only a clear word is leave; everything else is asked again', () => {
  assert.deepEqual(readReply(ask('approval'), ' Yes '), { answer: 'allow' })
  assert.deepEqual(readReply(ask('approval'), 'n'), { answer: 'deny' })
  assert.deepEqual(readReply(ask('approval'), 'no, use the other folder'), { answer: 'deny', text: 'use the other folder' })
  for (const line of ['', 'yes but only once', 'maybe', 'yn']) assert.equal(readReply(ask('approval'), line), null, line)
})

test('a question takes an option by its number, or any words', () => {
  const question = ask('question', { options: ['red', 'blue'] })
  assert.deepEqual(readReply(question, '2'), { answer: 'text', text: 'blue' })
  assert.deepEqual(readReply(question, '7'), { answer: 'text', text: '7' })
  assert.equal(readReply(question, '  '), null)
})

test('an empty line is input for a command that waits', () => {
  assert.deepEqual(readReply(ask('input'), ''), { answer: 'text', text: '' })
})

test('a command is shown whole and cannot hide part of itself', () => {
  assert.equal(askText('Ada', ask('approval', { command: 'ls\n\u001b[8mrm -rf x' })), 'Ada asks for leave: Run it?\n    ls\n    rm -rf x')
})
