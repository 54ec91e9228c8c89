/** Takes files into the draft: those that can't go are refused with a reason, the others are given to the Host at once. */
import { useState } from 'react'
import { useApp, useLocale } from '../../components/app-context.tsx'
import type { Draft, DraftFile } from '../../store/state.ts'
import { refuseFile } from './attach-rules.ts'
import type { ChangeDraft } from './use-draft.ts'

export type TakeFiles = (files: Iterable<File>) => void

export function useFiles(agentId: string, draft: Draft, change: ChangeDraft) {
  const app = useApp()
  const { t } = useLocale()
  const [problems, setProblems] = useState<readonly string[]>([])

  const take: TakeFiles = (files) => {
    const refused: string[] = []
    let count = draft.files.length
    for (const file of files) {
      const refusal = refuseFile(file, count)
      if (refusal === null) {
        count += 1
        void upload(file)
      } else refused.push(refusal === 'tooMany' ? t.attach.tooMany : t.attach[refusal](file.name))
    }
    setProblems([...new Set(refused)])
  }

  async function upload(file: File): Promise<void> {
    const id = crypto.randomUUID()
    const name = file.name || `picture.${file.type.split('/')[1] ?? 'png'}`
    const added: DraftFile = { id, name, mime: file.type, sizeBytes: file.size, url: URL.createObjectURL(file), blob: null }
    change((now) => ({ ...now, files: [...now.files, added] }))
    try {
      const { blob } = await app.call('blob/put', { agent: agentId, name, mime: file.type, base64: await base64Of(file) })
      change((now) => ({ ...now, files: now.files.map((one) => (one.id === id ? { ...one, blob } : one)) }))
    } catch (cause) {
      drop(added)
      setProblems((before) => [...before, `${name}: ${cause instanceof Error ? cause.message : String(cause)}`])
    }
  }

  function drop({ id, url }: DraftFile): void {
    URL.revokeObjectURL(url)
    change((now) => ({ ...now, files: now.files.filter((one) => one.id !== id) }))
  }

  return { take, drop, problems }
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''))
    reader.onerror = () => reject(reader.error ?? new Error('The file could not be read.'))
    reader.readAsDataURL(file)
  })
}
