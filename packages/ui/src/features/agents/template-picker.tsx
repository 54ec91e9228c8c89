import { useLocale } from '../../components/app-context.tsx'

export const TEMPLATES = ['blank', 'researcher', 'coder', 'writer', 'house'] as const
export type Template = (typeof TEMPLATES)[number]

export function TemplatePicker({ value, onChange }: { value: Template; onChange: (template: Template) => void }) {
  const { t } = useLocale()
  return (
    <fieldset className="choices">
      <legend>{t.agent.template}</legend>
      {TEMPLATES.map((template) => (
        <label key={template}>
          <input type="radio" name="template" checked={value === template} onChange={() => onChange(template)} />
          <span>{t.templates[template].name}</span>
        </label>
      ))}
    </fieldset>
  )
}
