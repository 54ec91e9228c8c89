/** The app's one set of icons: 16 px, one stroke, the colour of the text around them. Decoration only: a name stands beside or in a label. */
const PATHS = {
  plus: 'M8 3v10M3 8h10',
  gear: 'M8 5.6a2.4 2.4 0 1 0 0 4.8 2.4 2.4 0 0 0 0-4.8ZM8 1.8v1.7M8 12.5v1.7M1.8 8h1.7M12.5 8h1.7M3.6 3.6l1.2 1.2M11.2 11.2l1.2 1.2M12.4 3.6l-1.2 1.2M4.8 11.2l-1.2 1.2',
  inbox: 'M2 9.5 4 3h8l2 6.5V13H2V9.5Zm0 0h3.2c.3 1.2 1.3 2 2.8 2s2.5-.8 2.8-2H14',
  keyboard: 'M1.8 4h12.4v8H1.8V4Zm2.5 2.6h.1M7 6.6h.1M9.7 6.6h.1M12 6.6h-.1M4.8 9.4h6.4',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  send: 'M8 13V3.2M3.8 7.2 8 3l4.2 4.2',
  chevron: 'M6 3.5 10.5 8 6 12.5',
  back: 'M10 3.5 5.5 8l4.5 4.5',
  copy: 'M5.5 5.5V3h7.5v7.5h-2.5M3 5.5h7.5V13H3V5.5Z',
  check: 'M3 8.5 6.5 12 13 4.5',
  close: 'M3.8 3.8l8.4 8.4M12.2 3.8l-8.4 8.4',
  warning: 'M8 2.2 14.3 13H1.7L8 2.2Zm0 4.3v3M8 11.3v.2',
  read: 'M4 2h5l3 3v9H4V2Zm5 0v3h3M6 8h4M6 10.5h4',
  write: 'M4 2h5l3 3v9H4V2Zm5 0v3h3M8 7.5v4M6 9.5h4',
  edit: 'M3 13l.6-2.8L10.8 3l2.2 2.2-7.2 7.2L3 13Z',
  list: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.1M2.5 8h.1M2.5 12h.1',
  search: 'M7 2.8a4.2 4.2 0 1 0 0 8.4 4.2 4.2 0 0 0 0-8.4ZM10.2 10.2 13.5 13.5',
  shell: 'M2 3h12v10H2V3Zm2.5 3L6.5 8l-2 2M8 10h3',
  web: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM2 8h12M8 2c2 2 2.6 4 2.6 6S10 12 8 14c-2-2-2.6-4-2.6-6S6 4 8 2Z',
  tool: 'M10.2 2.6a3.4 3.4 0 0 0-4.1 4.5L2.4 10.8l2.8 2.8 3.7-3.7a3.4 3.4 0 0 0 4.5-4.1l-2 2-2.4-.6-.6-2.4 1.8-2.2Z',
  reasoning: 'M8 2v3M8 11v3M2 8h3M11 8h3M3.8 3.8l2 2M10.2 10.2l2 2M12.2 3.8l-2 2M5.8 10.2l-2 2',
  folder: 'M2 4h4l1.5 1.8H14V13H2V4Z',
  down: 'M8 3v9.8M3.8 8.8 8 13l4.2-4.2',
  up: 'M8 13V3.2M3.8 7.2 8 3l4.2 4.2',
  link: 'M6.5 9.5l3-3M7 4.5l1.4-1.4a3 3 0 0 1 4.3 4.3L11.3 8.8M9 11.5l-1.4 1.4a3 3 0 0 1-4.3-4.3L4.7 7.2',
  picture: 'M2 3h12v10H2V3Zm0 8 3.5-3.5L9 11l2-2 3 3M10.5 6h.1',
  paste: 'M5.5 3H3.5v11h9V3h-2M5.5 2h5v2.5h-5V2ZM6 8h4M6 10.5h4',
  retry: 'M12.8 8A4.8 4.8 0 1 1 11.2 4.4M11.4 1.8v2.8H8.6',
  branch:
    'M4.5 5.5v5M4.5 5.5a1.6 1.6 0 1 0 0-3.2 1.6 1.6 0 0 0 0 3.2Zm0 5a1.6 1.6 0 1 0 0 3.2 1.6 1.6 0 0 0 0-3.2Zm7-4a1.6 1.6 0 1 0 0-3.2 1.6 1.6 0 0 0 0 3.2Zm0 0c0 2.6-7 1.4-7 4',
  undo: 'M5.5 3 2.5 6l3 3M2.8 6H9a3.6 3.6 0 0 1 0 7.2H6',
  attach: 'M12.8 7.4 8 12.2a3 3 0 0 1-4.3-4.3l5-5a2 2 0 0 1 2.9 2.9l-4.9 4.9a1 1 0 0 1-1.4-1.4l4.5-4.5',
  file: 'M4 2h5l3 3v9H4V2Zm5 0v3h3',
  steer: 'M2.5 8h8M7.5 4.5 11 8l-3.5 3.5M13.5 3v10',
  stopSend: 'M3 3.5h4.5V8H3V3.5ZM9.5 12.5h4M11.5 10.5l2 2-2 2M3 12.5h3.5',
  eye: 'M1.8 8S4 3.8 8 3.8 14.2 8 14.2 8 12 12.2 8 12.2 1.8 8 1.8 8Zm6.2-1.8a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6Z',
  hand: 'M8 2.2 13.2 4v4c0 3-2.2 5-5.2 6-3-1-5.2-3-5.2-6V4L8 2.2Z',
} as const
export type IconName = keyof typeof PATHS

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}
