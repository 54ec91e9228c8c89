/** Tables: the words by which a sentence is a question, a negation, a condition, a report, of the past, or asks to forget. English, German, Chinese, Japanese. */
import { foldText } from './normalise.ts'

const fold = (text: string) => foldText(text).replace(/[’ʼ‘`´]/gu, "'")

const NEGATION = [
  /\b(not|no|never|none|nobody|nothing|neither|nor|without|cannot|hates?|hated|dislikes?|disliked|avoids?|avoided|detests?|loathes?|refuses?|unable|stopped|quit|ain't)\b|n't\b|\b(dont|doesnt|didnt|isnt|arent|wasnt|werent|wont|cant|couldnt|shouldnt|wouldnt|havent|hasnt)\b|\bcan't stand\b/u,
  /\b(nicht|kein|keine|keinen|keinem|keiner|keines|nie|niemals|nichts|ohne|hasse|hasst|hassen|vermeide|vermeidet|ungern|verabscheue|nimmer)\b/u,
  /不(?!同|错|過|过|断|管|论|仅|如)|没|沒|未(?!来)|无法|無法|非(?!常)|别(?!的|人)|勿|讨厌|討厭|避免|从不|从未|戒(?:了|掉)/u,
  /ない|ません|なかった|ず(?:に|、|。|$)|嫌い|きらい|苦手|やめ(?:た|ました|て)|ぬ(?:。|$)|じゃなく|ではなく/u,
]

const QUESTION = [
  /[?？؟]\s*["'”’)\]]*\s*$/u,
  /^(what|who|whom|whose|which|where|when|why|how)(?:'s|'re|\s+(?:do|does|did|is|are|was|were|am|can|could|would|will|should|shall|may|might|have|has|had|many|much|old|long|far|often|come|about)\b)/u,
  /^(do|does|did|is|are|was|were|am|can|could|would|will|should|shall|may|might|have|has|had|isn't|aren't|don't|doesn't|didn't)\s+(?:i|you|we|they|he|she|it|there|this|that|my|your|our|the)\b/u,
  /^(was|wer|wen|wem|wessen|welche[rsnm]?|wo|wohin|woher|wann|warum|wieso|weshalb|wie|ob)\s+(?!auch)\S+/u,
  /\b(i wonder|wondering|not sure|unsure|maybe|perhaps|might be|frage mich|weiß nicht|weiss nicht|vielleicht|eventuell|bin nicht sicher)\b/u,
  /(吗|嗎|呢|是不是|有没有|是否|能不能|会不会|什么时候|为什么|怎么样|哪里|哪个|谁)(?:[？?。！!\s]|$)|^(什么|为什么|怎么|谁|哪里|哪个|何时)|也许|可能是|不确定|我想知道/u,
  /(ですか|ますか|でしょうか|だろうか|かな|かしら|のか)(?:[？?。！!\s]|$)|^(何|誰|どこ|いつ(?!も)|なぜ|どう|どの|どれ)|たぶん|もしかし|かもしれ|わからない|分からない/u,
]

const CONDITION = [
  /\b(if|unless|suppose|supposing|assuming|provided that|in case|would(?! (?:like|prefer|rather|love|appreciate)\b)|were i to|imagine|let's say|hypothetically)\b/u,
  /\b(wenn|falls|sofern|angenommen|vorausgesetzt|würde(?! (?:gern|gerne|lieber|mich freuen)\b)|wäre|hätte|stell dir vor)\b/u,
  /如果|假如|要是|倘若|假设|除非|万一|的话/u,
  /もし|たら(?:、|ば|$)|ならば|(?<!さよう)なら(?:、|$)|れば(?:、|$)|場合|仮に/u,
]

const REPORT = [
  /\b(?!(?:i|we|i've|we've)\b)[\p{L}]+ (says?|said|told|tells|claims?|claimed|thinks?|thought|wrote|writes|believes?|believed|suggests?|suggested|recommends?|recommended|reckons?|insists?|mentions?|mentioned|asked|asks)\b|\b(according to|allegedly|supposedly|reportedly|apparently|rumou?r has it|i (?:heard|read) that|it says|quote)\b/u,
  /\b(?!ich\b|wir\b)[\p{L}]+ (sagt|sagte|meint|meinte|behauptet|behauptete|schreibt|schrieb|glaubt|glaubte|findet|empfiehlt|empfahl|erzählt|erzählte)\b|\b(laut|angeblich|anscheinend|ich habe gehört|ich habe gelesen|dem bericht nach)\b|\b(hat|haben) (mir |uns )?(gesagt|behauptet|gemeint|geschrieben|erzählt)\b/u,
  /(他|她|他们|她们|老板|同事|朋友|经理|医生|有人|别人|文章|网上|妈妈|爸爸|姐姐|哥哥|妹妹|弟弟)[^，。,]{0,4}(说|讲|认为|觉得|建议|写道|提到|告诉)|据说|听说|据.{1,8}(说|报道)|显示说/u,
  /と(?:言|い)って(?!おき|おく)|って言っ|と言う|と(?:言|い)いました|と(?:言|い)われ|らしい|(?:だ|る|た|い)そう(?:です|だ|。|$)|によると|によれば|と聞いた|と書いて/u,
]

const PAST = [
  /\bused to (?!it\b)|\b(formerly|previously|back then|once upon|in the past|years ago i|no longer|not anymore|any ?more)\b|\bi was (?:once|previously)\b/u,
  /\b(früher|damals|einst|ehemals|vormals|nicht mehr|seinerzeit)\b/u,
  /以前|曾经|曾經|过去|從前|从前|原来(?:是|在|用|住)|不再/u,
  /以前|昔|かつて|(?:てい|でい)たことがある|もう.{0,12}(?:ない|ません)/u,
]

const FORGET = [
  /\b(forget|unlearn|disregard|ignore what i)\b|\b(remove|delete|erase|drop|scrub|wipe|clear|discard)\b(?=.*\b(memor(?:y|ies)|fact|facts|note|notes|that i|what i|about me|about my|where i|who i|everything about|from what you know|it from|entry|line)\b)|\b(?:don't|do not|dont|never|stop) (?:remember(?:ing)?|keep(?:ing)?|stor(?:e|ing)|sav(?:e|ing)|memori[sz](?:e|ing))\b/u,
  /\b(vergiss|vergesse|vergessen|vergesst)\b|\b(lösch\w*|entfern\w*|streich\w*)\b(?=.*(gedächtnis|erinnerung|notiz|eintrag|fakt|über mich|dass ich|wo ich|was ich))|\b(merk|speicher)\w* (?:dir )?(?:das |es )?nicht\b|\b(lösch|entfern|streich)\w*\b.*\b(gedächtnis|erinnerung|notiz|eintrag)/u,
  /忘掉|忘了(?!我)|忘记|忘記|忘了我|别(?:再)?记|不要(?:再)?记(?!错)|(?:删掉|删除|去掉|清除|抹掉).*(?:记忆|记录|我|关于)|把.*(?:删掉|删除|忘掉|去掉)/u,
  /忘れて|忘れろ|(?:記憶|メモ|記録).*(?:消し|消去|削除)|(?:消し|削除し)て.*(?:記憶|メモ|記録)|覚えないで|覚えなくて|記憶しないで|(?:こと|話|情報|件)(?:は|を)?(?:消して|削除して)/u,
]

const REJECTION = [
  /\b(that's|that is|this is|it's|it is|that was|is|was) (?:wrong|false|incorrect|untrue|not (?:true|right|correct|me|mine))\b|\b(isn't|wasn't|not|aren't) (?:true|right|correct)\b|\b(no longer|not anymore|any ?more|never (?:said|did|was|used|had|liked)|wrong about)\b|^no\b|\b(i (?:don't|do not|didn't|never)|i'm not|i am not|i hate|stop(?:ped)? )\b/u,
  /\b(stimmt nicht|falsch|ist nicht wahr|nicht richtig|nicht mehr|kein\w* mehr|ich habe nie|das war nicht ich|ich bin nicht|ich habe kein\w*)\b|^nein\b/u,
  /不对|不對|错了|錯了|不是(?!不是)|不正确|不再|没有说过|没说过|从来没|不是我|^不[，,。]/u,
  /違います|違う|ちがう|間違|まちが|正しくない|もう.{0,12}(?:ない|ません)|ではない|じゃない|ではありません|^いいえ/u,
]

// A request to remember, in the clothes of a question or a negation, is a plain statement of what follows.
const REQUEST = [
  /^(?:(?:hey|hi|ok|okay|so|also|and|please)[,\s]+)*(?:(?:can|could|will|would) (?:you|u) )?(?:please )?(?:(?:don't|do not|dont|never) forget|remember|note|keep in mind|memori[sz]e|write down|bear in mind|save|store|record)(?: (?:for me|please))?(?:\s*[:,]|\s+that\b|\s+(?=(?:i|my|we|our|the|to)\b))\s*/u,
  /^(?:(?:bitte|hey|ok|also)[,\s]+)*(?:(?:kannst|könntest|würdest) du (?:dir )?(?:bitte )?(?:merken|notieren|aufschreiben)|(?:vergiss|vergesst) (?:bitte )?nicht|nicht vergessen|merk(?:e)? (?:dir)?(?: bitte)?|notier(?:e)?(?: bitte)?|denk(?:e)? daran|behalte im kopf)\s*[:,]?\s*(?:dass\b)?\s*/u,
  /^(?:(?:请|請|麻烦)?(?:你)?(?:能|可以|能不能|可不可以)?(?:帮我)?(?:别忘了|别忘记|不要忘记|不要忘了|记住|記住|记下|记一下|牢记|请记得|记得))[:：，,]?\s*/u,
  /^(?:覚えて(?:おいて)?(?:ください|くれ(?:る|ます)?|ね|もらえ(?:る|ます)(?:か)?)?|メモして(?:おいて)?(?:ください|ね)?|忘れないで(?:ください|ね)?|記憶して(?:ください|おいて)?)[、:：。]?\s*/u,
]
// A standing wish put as a question: "can you always answer in German?"
const WISH = [
  /^(?:please |hey |ok[,]? )*(?:can|could|will|would) you (?:please )?(?=(?:always|never|only|from now on|by default|in future|in the future)\b)/u,
  /^i(?:'d| would) (?:like|prefer|love|appreciate|want)(?: it)?(?: if| that)? (?:you|nuum)(?: would| could)? (?:to )?/u,
  /^(?:bitte )?(?:kannst|könntest|würdest) du (?:bitte )?(?=(?:immer|nie|niemals|nur|ab jetzt|künftig|in zukunft)\b)/u,
  /^(?:请)?你?(?:能不能|能|可以|可不可以)(?=(?:以后|今后|总是|一直|永远|只))/u,
  /^(?=(?:いつも|常に|必ず|今後|これから).*(?:くれますか|もらえますか|いただけますか|ください)[？?。]*$)/u,
]
const REQUEST_TAIL = [
  /(?:ということ|こと)?(?:を|、)?(?:覚えておいて|覚えて|忘れないで|メモしておいて)(?:ください|くれ(?:る|ますか)?|ね|もらえますか)?[。？?！!]*$/u,
  /[,，、]?\s*(?:ok|okay|please|alright|bitte|ja|好吗|好嗎|可以吗|行吗|ね)\s*[?？]+$/u,
  /(?:，|,)?\s*(?:你)?(?:能|可以)?(?:记住|记下来|记一下)(?:吗|嗎)?[?？。]*$/u,
]
const LEAD_IN = [
  /^(?:correction|actually|sorry|no|nope|wrong|well|hm+|right|yes|yeah|fyi|update|by the way|btw|oh|ah|ok|okay)\s*[,:;.—–-]+\s*/u,
  /^(?:nein|doch|korrektur|sorry|entschuldigung|eigentlich|übrigens|ja|also|stimmt|ach)\s*[,:;.—–-]+\s*/u,
  /^(?:不对|不|不是|更正|纠正一下|其实|对了|抱歉|是的|顺便说一下)[，,：:。、]+\s*/u,
  /^(?:いいえ|いや|訂正|実は|すみません|はい|ちなみに|そういえば)[、,：:。]+\s*/u,
]

const any = (patterns: readonly RegExp[], text: string) => patterns.some((pattern) => pattern.test(text))

export const isNegative = (text: string) => any(NEGATION, fold(text))
export const isConditional = (text: string) => any(CONDITION, fold(text))
export const isReport = (text: string) => any(REPORT, fold(text))
export const isPast = (text: string) => any(PAST, fold(text))
export const isForgetRequest = (text: string) => any(FORGET, fold(text))
export const isRejection = (text: string) => any(REJECTION, fold(text))
export const isQuestion = (text: string) => any(QUESTION, fold(text).trim())

/** Whether what is left after `stripRequest` was asked to be remembered. */
export function asksToRemember(text: string): boolean {
  const folded = fold(text).trim()
  return any(REQUEST, folded) || any([REQUEST_TAIL[0] ?? /$^/, REQUEST_TAIL[2] ?? /$^/], folded)
}

/** The statement inside a request to remember or after a "No, …". Folded: for judging, never for storing. */
export function stripRequest(text: string): string {
  let left = fold(text).trim()
  for (let round = 0; round < 3; round++) {
    const before = left
    for (const pattern of LEAD_IN) left = left.replace(pattern, '')
    const asked = REQUEST.find((pattern) => pattern.test(left))
    const wish = WISH.find((pattern) => pattern.test(left))
    if (wish) left = left.replace(wish, '').replace(/(?:吗|嗎|か)?[?？]\s*$/u, '')
    if (asked) left = left.replace(asked, '').replace(/(?:吗|嗎|か)?[?？]\s*$/u, '')
    if (left === before) break
  }
  for (const pattern of REQUEST_TAIL) left = left.replace(pattern, '')
  return left.trim() === '' ? fold(text).trim() : left.trim()
}

const KNOWN = [
  /\b(the|is|are|i|my|we|our|to|of|and|in|on|it|you|use|prefer|always|never|not|with|for|a|an|has|have|be)\b/u,
  /\b(ich|der|die|das|und|ist|mein|meine|wir|nicht|ein|eine|in|auf|mit|für|immer|nie|zu|den|dem|es|bitte|wohne|nutze)\b/u,
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}/u,
]
const FOREIGN =
  /\b(el|la|los|las|une?|le|les|est|que|qui|por|para|con|mi|mon|ma|mes|je|yo|il|lo|gli|che|sono|não|uma|ik|een|het|jag|och|jeg|og|nie|jest|się)\b|[àâçèêëîïôùûœñ¿¡ãõłśżźćńęąřůěå]|\p{Script=Cyrillic}|\p{Script=Arabic}|\p{Script=Hebrew}|\p{Script=Thai}|\p{Script=Hangul}|\p{Script=Greek}|\p{Script=Devanagari}/u

/** Whether the tables above can judge this text at all. Names and numbers alone count as known. */
export function isKnownLanguage(text: string): boolean {
  const lower = text.normalize('NFC').toLowerCase().replace(/’/g, "'")
  return (
    !FOREIGN.test(lower) ||
    KNOWN.filter((pattern) => pattern.test(lower)).length > 1 ||
    (KNOWN[0]?.test(lower) === true &&
      !/\p{Script=Cyrillic}|\p{Script=Hangul}/u.test(lower) &&
      (lower.match(/\b(the|is|my|i|we)\b/gu)?.length ?? 0) > 1)
  )
}
