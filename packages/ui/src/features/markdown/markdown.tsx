/**
 * Markdown of models, people and tools, as inert text.
 * 1. No raw HTML, no remote picture is fetched, links only to http, https and mailto.  2. Each block has its own reading direction; code is left to right.
 * 3. A finished block is rendered once.
 */
import { type ComponentProps, memo, useRef } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize'
import remarkGfm from 'remark-gfm'
import remend from 'remend'
import { useLocale } from '../../components/app-context.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Icon } from '../../components/icon.tsx'
import { NO_BLOCKS, splitBlocks } from './markdown-blocks.ts'
import { safeHref } from './safe-href.ts'

const SCHEMA = { ...defaultSchema, protocols: { ...defaultSchema.protocols, href: ['http', 'https', 'mailto'], src: ['http', 'https'] } }
const REMARK = [remarkGfm, htmlAsText]
const REHYPE: ComponentProps<typeof ReactMarkdown>['rehypePlugins'] = [[rehypeSanitize, SCHEMA]]

type MarkdownNode = { type: string; value?: string; children?: MarkdownNode[] }

/** Raw HTML is shown as the text it is, not dropped: what a model or a person wrote is never silently gone. */
function htmlAsText() {
  const walk = (node: MarkdownNode): void => {
    if (!node.children) return
    node.children = node.children.map((child): MarkdownNode => {
      if (child.type !== 'html') {
        walk(child)
        return child
      }
      const text = { type: 'text', value: child.value ?? '' }
      return node.type === 'paragraph' || node.type === 'heading' || node.type === 'tableCell' || PHRASING.has(node.type)
        ? text
        : { type: 'paragraph', children: [text] }
    })
  }
  return (tree: unknown) => walk(tree as MarkdownNode)
}
const PHRASING = new Set(['emphasis', 'strong', 'delete', 'link', 'linkReference'])

function SafeLink({ href, children }: { href?: string | undefined; children?: React.ReactNode }) {
  const url = safeHref(href)
  if (url === null) return <span className="dead-link">{children}</span>
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" title={url}>
      {children}
    </a>
  )
}

/** A picture is a request to somebody's server: it is named, and opened only by the reader. */
function PicturePlace({ src, alt }: { src?: string | undefined; alt?: string | undefined }) {
  const { t } = useLocale()
  const url = safeHref(src)
  return (
    <span className="picture-place">
      <Icon name="picture" />
      <span>{t.chat.image(alt ?? '')}</span>
      {url !== null && (
        <a href={url} target="_blank" rel="noopener noreferrer" title={url}>
          {t.chat.openImage}
        </a>
      )}
    </span>
  )
}

function CodeBlock({ node, children }: { node?: unknown; children?: React.ReactNode }) {
  const { t } = useLocale()
  const { text, language } = codeOf(node)
  return (
    <div className="code-block" dir="ltr">
      <div className="code-head">
        <span>{language || t.chat.code}</span>
        <CopyButton text={text} />
      </div>
      <pre tabIndex={0}>{children}</pre>
    </div>
  )
}

type HastNode = { tagName?: string; value?: string; children?: HastNode[]; properties?: { className?: unknown } }

function codeOf(node: unknown): { text: string; language: string } {
  const code = (node as HastNode | undefined)?.children?.[0]
  const names = Array.isArray(code?.properties?.className) ? code.properties.className : []
  const language = names.map(String).find((name) => name.startsWith('language-'))
  return { text: textOf(code).replace(/\n$/, ''), language: language?.slice('language-'.length) ?? '' }
}

const textOf = (node: HastNode | undefined): string => node?.value ?? node?.children?.map(textOf).join('') ?? ''

function TableBox({ children }: { children?: React.ReactNode }) {
  const { t } = useLocale()
  return (
    <div className="table-box" role="group" aria-label={t.chat.table} tabIndex={0}>
      <table>{children}</table>
    </div>
  )
}

const COMPONENTS: Components = {
  a: ({ href, children }) => <SafeLink href={href}>{children}</SafeLink>,
  img: ({ src, alt }) => <PicturePlace src={typeof src === 'string' ? src : undefined} alt={alt} />,
  pre: ({ node, children }) => <CodeBlock node={node}>{children}</CodeBlock>,
  code: ({ children, className }) => (
    <code dir="ltr" className={className}>
      {children}
    </code>
  ),
  p: ({ children }) => <p dir="auto">{children}</p>,
  li: ({ children, className }) => (
    <li dir="auto" className={className}>
      {children}
    </li>
  ),
  blockquote: ({ children }) => <blockquote dir="auto">{children}</blockquote>,
  h1: ({ children }) => (
    <h2 className="md-1" dir="auto">
      {children}
    </h2>
  ),
  h2: ({ children }) => (
    <h2 className="md-2" dir="auto">
      {children}
    </h2>
  ),
  h3: ({ children }) => (
    <h3 className="md-3" dir="auto">
      {children}
    </h3>
  ),
  h4: ({ children }) => (
    <h4 className="md-4" dir="auto">
      {children}
    </h4>
  ),
  h5: ({ children }) => (
    <h4 className="md-4" dir="auto">
      {children}
    </h4>
  ),
  h6: ({ children }) => (
    <h4 className="md-4" dir="auto">
      {children}
    </h4>
  ),
  table: ({ children }) => <TableBox>{children}</TableBox>,
  td: ({ children, style }) => (
    <td dir="auto" style={style}>
      {children}
    </td>
  ),
  th: ({ children, style }) => (
    <th dir="auto" style={style}>
      {children}
    </th>
  ),
  input: ({ checked }) => <span aria-hidden="true">{checked === true ? '☑' : '☐'}</span>,
}

const Block = memo(function Block({ text }: { text: string }) {
  return (
    <ReactMarkdown remarkPlugins={REMARK} rehypePlugins={REHYPE} components={COMPONENTS} urlTransform={(url) => safeHref(url) ?? ''}>
      {text}
    </ReactMarkdown>
  )
})

export const Markdown = memo(function Markdown({ text, live = false }: { text: string; live?: boolean }) {
  const before = useRef(NO_BLOCKS)
  before.current = splitBlocks(text, before.current)
  const { blocks } = before.current
  return (
    <div className="markdown">
      {blocks.map((block, place) => (
        <Block key={place} text={live && place === blocks.length - 1 ? closeOpen(block) : block} />
      ))}
    </div>
  )
})

/** A block that is still growing is shown as if its marks were closed. */
const closeOpen = (block: string): string => remend(remend(block, ONLY_CODE), { linkMode: 'text-only', images: false, htmlTags: false })

// Code first: otherwise the marks that close what stands before it would land inside it.
const ONLY_CODE = {
  bold: false,
  boldItalic: false,
  comparisonOperators: false,
  htmlTags: false,
  images: false,
  inlineCode: true,
  italic: false,
  katex: false,
  links: false,
  setextHeadings: false,
  singleTilde: false,
  strikethrough: false,
}
