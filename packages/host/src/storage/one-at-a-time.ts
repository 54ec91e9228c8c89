/** Changes of one state file follow one another in the order of the calls, each seeing what the one before left; a failed one stops none. */
export type OneAtATime = <T>(act: () => Promise<T>) => Promise<T>

export function oneAtATime(): OneAtATime {
  let last: Promise<unknown> = Promise.resolve()
  return (act) => {
    const mine = last.then(act)
    last = mine.catch(() => undefined) // its own caller hears of that failure
    return mine
  }
}
