/** Sixty corrections and new values as people say them: none is blocked, none is lost, and the old value is gone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, EXTRACTOR, TOOL } from '../../test/world.ts'

/** What was said first and stored, what corrects it, the new fact. */
const CORRECTIONS: readonly (readonly [string, string, string, string])[] = [
  ['I live in Ulm.', 'Lives in Ulm.', 'I moved to Bonn last week.', 'Moved to Bonn.'],
  ['I live in Ulm.', 'Lives in Ulm.', "I don't live in Ulm anymore, I live in Bonn.", 'Lives in Bonn.'],
  ['I use npm.', 'Uses npm.', 'No, not npm, pnpm!', 'Uses pnpm.'],
  ['I use npm.', 'Uses npm.', 'I switched from npm to pnpm.', 'Switched from npm to pnpm.'],
  ['I use npm.', 'Uses npm.', 'Please use pnpm from now on instead of npm.', 'Use pnpm from now on.'],
  ['My NAS is a Brand-A box.', 'NAS is a Brand-A box.', 'Correction: my NAS is Brand-B.', 'NAS is Brand-B.'],
  ['The meeting is on Monday.', 'Meeting is on Monday.', 'The meeting has moved to Tuesday.', 'Meeting has moved to Tuesday.'],
  ['My name is Lea.', 'Is called Lea.', "Actually, it's spelled Leah.", 'Name is spelled Leah.'],
  ['I drink coffee every morning.', 'Drinks coffee every morning.', 'I stopped drinking coffee.', 'Stopped drinking coffee.'],
  ['I like spicy food.', 'Likes spicy food.', 'I no longer like spicy food.', 'No longer likes spicy food.'],
  ['The port is 8090.', 'Port is 8090.', 'Sorry, the port is 8091.', 'Port is 8091.'],
  ['Bob is my manager.', 'Bob is the manager.', 'Carol is my manager since May.', 'Carol is the manager.'],
  ['We deploy on Fridays.', 'Deploys on Fridays.', "We never deploy on Fridays now, it's Mondays.", 'Deploys on Mondays.'],
  ['I prefer short answers.', 'Prefers short answers.', 'Remember that I prefer long answers.', 'Prefers long answers.'],
  ['I use Vim.', 'Uses Vim.', 'Can you note that I use Helix now?', 'Uses Helix.'],
  ['Ich wohne in Ulm.', 'Wohnt in Ulm.', 'Ich bin nach Bonn gezogen.', 'Ist nach Bonn gezogen.'],
  ['Ich wohne in Ulm.', 'Wohnt in Ulm.', 'Ich wohne nicht mehr in Ulm, sondern in Bonn.', 'Wohnt in Bonn.'],
  ['Ich nutze npm.', 'Nutzt npm.', 'Nein, ich nutze pnpm.', 'Nutzt pnpm.'],
  ['Mein Chef heißt Weber.', 'Chef heißt Weber.', 'Mein neuer Chef heißt Kranz.', 'Neuer Chef heißt Kranz.'],
  ['Ich esse Fleisch.', 'Isst Fleisch.', 'Ich esse kein Fleisch mehr.', 'Isst kein Fleisch mehr.'],
  ['Das Treffen ist am Montag.', 'Treffen ist am Montag.', 'Das Treffen ist jetzt am Dienstag.', 'Treffen ist am Dienstag.'],
  ['Der Port ist 8090.', 'Port ist 8090.', 'Korrektur: Der Port ist 8091.', 'Port ist 8091.'],
  ['Ich mag kurze Antworten.', 'Mag kurze Antworten.', 'Bitte merk dir, dass ich lange Antworten mag.', 'Mag lange Antworten.'],
  ['Meine Katze heißt Minka.', 'Katze heißt Minka.', 'Meine Katze heißt übrigens Luna.', 'Katze heißt Luna.'],
  ['Ich arbeite bei Acme.', 'Arbeitet bei Acme.', 'Seit Mai arbeite ich bei Globex.', 'Arbeitet bei Globex.'],
  ['Ich trinke Kaffee.', 'Trinkt Kaffee.', 'Ich trinke keinen Kaffee mehr, nur noch Tee.', 'Trinkt keinen Kaffee mehr, nur noch Tee.'],
  ['Ich fahre einen Skoda.', 'Fährt einen Skoda.', 'Ich fahre jetzt einen Opel.', 'Fährt einen Opel.'],
  ['Wir heizen mit Gas.', 'Heizt mit Gas.', 'Wir heizen seit heuer mit Pellets.', 'Heizt mit Pellets.'],
  ['Mein Zahnarzt ist Brandt.', 'Zahnarzt ist Brandt.', 'Ich habe einen neuen Zahnarzt, er heißt Seidel.', 'Neuer Zahnarzt heißt Seidel.'],
  ['Ich programmiere in Java.', 'Programmiert in Java.', 'Ich programmiere nur noch in Kotlin.', 'Programmiert nur noch in Kotlin.'],
  ['我住在乌尔姆。', '住在乌尔姆', '我搬到波恩了。', '搬到波恩'],
  ['我住在乌尔姆。', '住在乌尔姆', '我不住在乌尔姆了，现在住在波恩。', '住在波恩'],
  ['我用npm。', '用npm', '不对，我用pnpm。', '用pnpm'],
  ['我的经理是王芳。', '经理是王芳', '我的经理换成李强了。', '经理换成李强'],
  ['我喝咖啡。', '喝咖啡', '我不喝咖啡了，只喝茶。', '只喝茶'],
  ['会议在周一。', '会议在周一', '会议改到周二了。', '会议改到周二'],
  ['端口是8090。', '端口是8090', '更正：端口是8091。', '端口是8091'],
  ['我喜欢简短的回答。', '喜欢简短的回答', '请记住我喜欢详细的回答。', '喜欢详细的回答'],
  ['我的猫叫小白。', '猫叫小白', '我的猫其实叫大橘。', '猫叫大橘'],
  ['我在银行工作。', '在银行工作', '我现在在学校工作。', '在学校工作'],
  ['我吃肉。', '吃肉', '我吃素了。', '吃素'],
  ['我开丰田。', '开丰田', '我把丰田卖了，现在开沃尔沃。', '现在开沃尔沃'],
  ['我用Vim。', '用Vim', '以后我用Helix。', '用Helix'],
  ['我女儿学钢琴。', '女儿学钢琴', '我女儿改学小提琴了。', '女儿改学小提琴'],
  ['我叫李强。', '叫李强', '不是，我叫李锵。', '叫李锵'],
  ['ウルムに住んでいます。', 'ウルムに住んでいる', 'ボンに引っ越しました。', 'ボンに引っ越した'],
  ['ウルムに住んでいます。', 'ウルムに住んでいる', '今はウルムではなく、ボンに住んでいます。', 'ボンに住んでいる'],
  ['npmを使っています。', 'npmを使っている', 'npmではなくpnpmを使っています。', 'pnpmを使っている'],
  ['上司は田中さんです。', '上司は田中さん', '上司は鈴木さんに変わりました。', '上司は鈴木さんに変わった'],
  ['コーヒーを飲みます。', 'コーヒーを飲む', 'もうコーヒーは飲みません。', 'コーヒーは飲まない'],
  ['会議は月曜日です。', '会議は月曜日', '会議は火曜日になりました。', '会議は火曜日になった'],
  ['ポートは8090です。', 'ポートは8090', '訂正、ポートは8091です。', 'ポートは8091'],
  ['短い返事が好きです。', '短い返事が好き', '長い返事が好きだと覚えておいてください。', '長い返事が好き'],
  ['猫の名前はミンカです。', '猫の名前はミンカ', '猫の名前は実はルナです。', '猫の名前はルナ'],
  ['銀行に勤めています。', '銀行に勤めている', '今は学校に勤めています。', '学校に勤めている'],
  ['肉を食べます。', '肉を食べる', '肉は食べません。', '肉は食べない'],
  ['トヨタに乗っています。', 'トヨタに乗っている', '今はボルボに乗っています。', 'ボルボに乗っている'],
  ['Vimを使っています。', 'Vimを使っている', 'これからはHelixを使います。', 'Helixを使う'],
  ['娘はピアノを習っています。', '娘はピアノを習っている', '娘はバイオリンを習い始めました。', '娘はバイオリンを習い始めた'],
  ['鈴木です。', '名前は鈴木', 'いいえ、名前は鈴城です。', '名前は鈴城'],
]

test('there are sixty', () => assert.equal(CORRECTIONS.length, 60))

test('each lands in place of the old value, by the extractor and by the tool', () => {
  const lost: string[] = []
  for (const by of [EXTRACTOR, TOOL]) {
    for (const [said, fact, corrected, text] of CORRECTIONS) {
      const world = createWorld()
      world.says('Hello.')
      world.learns(said, fact)
      const [old] = world.state.facts.values()
      assert.ok(old, said)
      world.says(corrected)
      const { outcome } = world.do({ op: 'replace', by, fact: old.id, text, quotes: [corrected] })
      if (outcome.kind !== 'replaced' || world.beliefs().length !== 1) lost.push(`${corrected} → ${JSON.stringify(outcome)}`)
    }
  }
  assert.deepEqual(lost, [])
})

test('each is remembered as a fact of its own, too', () => {
  const lost: string[] = []
  for (const [, , corrected, text] of CORRECTIONS) {
    const world = createWorld()
    const { outcome } = world.learns(corrected, text)
    if (outcome.kind !== 'written') lost.push(`${corrected} → ${JSON.stringify(outcome)}`)
  }
  assert.deepEqual(lost, [])
})
