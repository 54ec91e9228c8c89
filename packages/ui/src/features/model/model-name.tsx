import { isGuide } from '../../store/home.ts'
import { useLocale } from '../../components/app-context.tsx'

/** A model's name; the built-in guide is always told apart from AI. */
export function ModelName({ model }: { model: string }) {
  const { t } = useLocale()
  if (isGuide(model)) return <span className="badge">{t.guideBadge}</span>
  return (
    <bdi className="model-name" title={model}>
      {model.slice(model.indexOf('/') + 1)}
    </bdi>
  )
}
