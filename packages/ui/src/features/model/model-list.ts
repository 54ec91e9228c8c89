/** The models that fit a search, by provider: those that are ready first. Pure. */
import type { ModelView } from '@nuum/protocol'

/** `why`: what keeps all of them from being ready, where it is the same. */
export type ModelGroup = { readonly provider: string; readonly models: readonly ModelView[]; readonly why: string | null }

export const providerOf = (id: string): string => id.slice(0, id.indexOf('/'))

/** Every word of the query must stand in the id or the label. */
export function groupModels(models: readonly ModelView[], query: string): ModelGroup[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const groups = new Map<string, ModelView[]>()
  for (const model of models) {
    const text = `${model.id} ${model.label}`.toLowerCase()
    if (!words.every((word) => text.includes(word))) continue
    const provider = providerOf(model.id)
    groups.set(provider, [...(groups.get(provider) ?? []), model])
  }
  const isReady = ({ models: list }: ModelGroup) => list.some(({ ready }) => ready)
  return [...groups]
    .map(([provider, list]) => ({ provider, models: [...list].sort((a, b) => Number(b.ready) - Number(a.ready)), why: sharedWhy(list) }))
    .sort((a, b) => Number(isReady(b)) - Number(isReady(a)))
}

function sharedWhy(models: readonly ModelView[]): string | null {
  const [first] = models
  return first?.why !== undefined && models.every(({ ready, why }) => !ready && why === first.why) ? first.why : null
}
