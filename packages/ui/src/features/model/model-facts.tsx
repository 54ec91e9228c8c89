/** What a model costs and can do, in one line; what is not known is said to be so. */
import type { ModelView } from '@nuum/protocol'
import { useLocale } from '../../components/app-context.tsx'
import { Icon } from '../../components/icon.tsx'
import { isGuide } from '../../store/home.ts'

export function ModelFacts({ model }: { model: ModelView }) {
  const { t, compact } = useLocale()
  const thinks = model.thinking === undefined ? (model.effort?.length ?? 0) > 0 : model.thinking !== 'none'
  return (
    <span className="model-facts">
      {!isGuide(model.id) && <span>{model.windowKnown ? t.model.window(compact(model.window)) : t.model.windowGuess}</span>}
      <Price model={model} />
      {model.sees && (
        <span className="is-able">
          <Icon name="eye" /> {t.model.sees}
        </span>
      )}
      {thinks && (
        <span className="is-able">
          <Icon name="reasoning" /> {t.model.thinks}
        </span>
      )}
      {model.retires !== undefined && <span className="is-warn">{t.model.retires(model.retires)}</span>}
    </span>
  )
}

function Price({ model }: { model: ModelView }) {
  const { t } = useLocale()
  const { price } = model
  if (isGuide(model.id) || (price !== null && price.in === 0 && price.out === 0)) return <span>{t.model.priceFree}</span>
  if (price === null) return <span>{t.model.priceUnknown}</span>
  return (
    <span>
      {t.model.price(dollars(price.in), dollars(price.out))}
      {price.asOf !== undefined && ` (${t.model.priceAsOf(price.asOf)})`}
      {(price.over?.length ?? 0) > 0 && ` · ${t.model.tiers}`}
    </span>
  )
}

const dollars = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 3 })
