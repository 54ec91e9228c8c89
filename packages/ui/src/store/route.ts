/** Where the app is, as the part of its address after `#`. */
export type Route =
  | { readonly view: 'start' }
  | { readonly view: 'agent'; readonly agentId: string }
  | { readonly view: 'agentSettings'; readonly agentId: string }
  | { readonly view: 'newAgent' }
  | { readonly view: 'inbox' }
  | { readonly view: 'settings' }

export function parseRoute(hash: string): Route {
  const [view, id, sub] = hash.replace(/^#\/?/, '').split('/')
  if (view === 'agent' && id !== undefined && /^a_[0-9a-z]{26}$/.test(id))
    return { view: sub === 'settings' ? 'agentSettings' : 'agent', agentId: id }
  if (view === 'new') return { view: 'newAgent' }
  if (view === 'inbox' || view === 'settings') return { view }
  return { view: 'start' }
}

export function formatRoute(route: Route): string {
  switch (route.view) {
    case 'agent':
      return `#/agent/${route.agentId}`
    case 'agentSettings':
      return `#/agent/${route.agentId}/settings`
    case 'newAgent':
      return '#/new'
    case 'start':
      return '#/'
    default:
      return `#/${route.view}`
  }
}
