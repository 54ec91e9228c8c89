import type { ComponentProps, ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

type ButtonProps = Omit<ComponentProps<'button'>, 'type'> & {
  look?: 'plain' | 'main' | 'quiet' | 'danger'
  icon?: IconName
  type?: 'button' | 'submit'
  children: ReactNode
}

export function Button({ look = 'plain', icon, children, className, type = 'button', ...rest }: ButtonProps) {
  return (
    <button {...rest} type={type} className={`button is-${look}${className ? ` ${className}` : ''}`}>
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  )
}

export function IconButton({
  icon,
  label,
  className,
  ...rest
}: Omit<ComponentProps<'button'>, 'type' | 'children'> & { icon: IconName; label: string }) {
  return (
    <button {...rest} type="button" className={`icon-button${className ? ` ${className}` : ''}`} aria-label={label} title={label}>
      <Icon name={icon} />
    </button>
  )
}
