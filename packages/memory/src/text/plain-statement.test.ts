/** What states a fact plainly, in four languages; and what does not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type NotPlain, whyNotPlain } from './plain-statement.ts'

const PLAIN: readonly (readonly [string, string])[] = [
  ['I use pnpm', 'Uses pnpm'],
  ['Please remember that I use pnpm.', 'Uses pnpm.'],
  ['Can you remember that I live in Ulm?', 'Lives in Ulm'],
  ["Don't forget that I'm vegan", 'Is vegan'],
  ['Actually, I live in Bonn.', 'Lives in Bonn'],
  ['No, Z is new in this design', 'Z is new in this design'],
  ["I don't live in Ulm anymore, I live in Bonn", 'Lives in Bonn'],
  ['I use pnpm, not npm', 'Uses pnpm'],
  ['Not npm but pnpm', 'Uses pnpm'],
  ['I used to use npm, now I use pnpm', 'Uses pnpm'],
  ['I no longer use Vim', 'No longer uses Vim'],
  ['I never drink coffee', 'Never drinks coffee'],
  ["I can't stand cilantro", 'Dislikes cilantro'],
  ['When you commit, sign off', 'Sign off when committing'],
  ['If it rains I take the bus', 'Takes the bus if it rains'],
  ['I told you I use pnpm', 'Uses pnpm'],
  ['Bob says he prefers tea', 'Bob says he prefers tea'],
  ['My name is Lea', 'Is called Lea'],
  ['Correction: my NAS is Brand-B.', 'NAS is Brand-B'],
  ['Use pnpm from now on', 'Use pnpm from now on'],
  ['Ich wohne nicht mehr in Ulm, sondern in Bonn.', 'Wohnt in Bonn'],
  ['Bitte merk dir, dass ich in Bonn wohne.', 'Wohnt in Bonn'],
  ['Kannst du dir merken, dass ich Veganer bin?', 'Ist Veganer'],
  ['Vergiss nicht, dass ich Veganer bin.', 'Ist Veganer'],
  ['Nein, ich heiße Lea.', 'Heißt Lea'],
  ['Ich mag keine Tabs', 'Mag keine Tabs'],
  ['Immer auf Deutsch antworten', 'Immer auf Deutsch antworten'],
  ['我住在波恩。', '住在波恩'],
  ['你能记住我住在波恩吗？', '住在波恩'],
  ['别忘了我吃素', '吃素'],
  ['不住在乌尔姆了，现在住在波恩。', '住在波恩'],
  ['我不喜欢香菜', '不喜欢香菜'],
  ['不对，我叫李强。', '叫李强'],
  ['我会说中文', '会说中文'],
  ['ボンに住んでいます。', 'ボンに住んでいる'],
  ['ボンに住んでいると覚えておいて', 'ボンに住んでいる'],
  ['npmではなくpnpmを使っています', 'pnpmを使っている'],
  ['パクチーは好きではない', 'パクチーは好きではない'],
  ['いいえ、鈴木です。', '鈴木'],
]

const NOT_PLAIN: readonly (readonly [string, string, NotPlain])[] = [
  ['Do I live in Ulm?', 'Lives in Ulm', 'question'],
  ['Should I use npm', 'Uses npm', 'question'],
  ['Maybe I will use npm', 'Uses npm', 'question'],
  ['I am not sure whether I like tea', 'Likes tea', 'question'],
  ['If I lived in Ulm, I would ski', 'Lives in Ulm', 'condition'],
  ['Suppose I use npm', 'Uses npm', 'condition'],
  ['My sister says I live in Ulm', 'Lives in Ulm', 'report'],
  ['According to the wiki I use npm', 'Uses npm', 'report'],
  ['I used to live in Ulm', 'Lives in Ulm', 'past'],
  ['Previously I lived in Ulm', 'Lives in Ulm', 'past'],
  ['Forget that I live in Ulm', 'Lives in Ulm', 'forget'],
  ["Don't remember that I live in Ulm", 'Lives in Ulm', 'forget'],
  ['I do not live in Ulm', 'Lives in Ulm', 'negation'],
  ['I hate cilantro', 'Likes cilantro', 'negation'],
  ['I use pnpm, not npm', 'Uses npm', 'negation'],
  ['Wohne ich in Ulm?', 'Wohnt in Ulm', 'question'],
  ['Wenn ich in Ulm wohnen würde, ginge ich wandern', 'Wohnt in Ulm', 'condition'],
  ['Mein Chef sagt, ich wohne in Ulm', 'Wohnt in Ulm', 'report'],
  ['Früher wohnte ich in Ulm', 'Wohnt in Ulm', 'past'],
  ['Vergiss, dass ich in Ulm wohne', 'Wohnt in Ulm', 'forget'],
  ['Ich wohne nicht in Ulm', 'Wohnt in Ulm', 'negation'],
  ['我住在波恩吗？', '住在波恩', 'question'],
  ['如果我住在波恩就好了', '住在波恩', 'condition'],
  ['他说我住在波恩', '住在波恩', 'report'],
  ['我以前住在波恩', '住在波恩', 'past'],
  ['请忘掉我住在波恩', '住在波恩', 'forget'],
  ['我不住在波恩', '住在波恩', 'negation'],
  ['ボンに住んでいますか', 'ボンに住んでいる', 'question'],
  ['もしボンに住んでいたら楽しい', 'ボンに住んでいる', 'condition'],
  ['田中さんがボンに住んでいると言っていました', 'ボンに住んでいる', 'report'],
  ['以前ボンに住んでいました', 'ボンに住んでいる', 'past'],
  ['ボンに住んでいることは忘れてください', 'ボンに住んでいる', 'forget'],
  ['ボンに住んでいません', 'ボンに住んでいる', 'negation'],
  ['J’habite à Lyon', 'Habite à Lyon', 'language'],
  ['Я живу в Бонне', 'Живёт в Бонне', 'language'],
]

test('plain statements', () => {
  const wrong = PLAIN.map(([said, fact]) => [said, whyNotPlain(said, fact)]).filter(([, why]) => why !== null)
  assert.deepEqual(wrong, [])
})

test('questions, conditions, reports, the past, negations and wishes to forget', () => {
  const wrong = NOT_PLAIN.map(([said, fact, why]) => [said, whyNotPlain(said, fact), why]).filter(([, found, why]) => found !== why)
  assert.deepEqual(wrong, [])
})
