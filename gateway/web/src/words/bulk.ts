/** Names that a sentence lists before it counts the others. */
const namedMax = 5

/** Texts of changes of many transactions. */
export const bulkWords = {
  select: 'Select',
  done: 'Done',
  one: (name: string) => `Select ${name}`,
  bar: 'Selected transactions',
  count: (count: number) => `${count} selected`,
  full: (count: number) => `${count} selected, the most at once`,
  all: 'Select all loaded ones',
  none: 'Select none',
  assign: 'Assign',
  refused: 'Not changed:',
  changed: (count: number, all: number) =>
    count === all
      ? `${all === 1 ? 'One transaction' : `${all} transactions`} changed.`
      : `${count} of ${all === 1 ? 'one transaction' : `${all} transactions`} changed.`,
  left: (names: string[]) => {
    const more = names.length > namedMax ? [`${names.length - namedMax} others`] : []
    return `Changed since, and left as it is: ${[...names.slice(0, namedMax), ...more].join(', ')}.`
  },
  undo: 'Undo',
  removeTitle: (count: number) =>
    count === 1 ? 'Delete one transaction?' : `Delete ${count} transactions?`,
  removeText:
    'They leave all lists. The filter State: Deleted shows them, and they can be restored. With ' +
    'the tick, the balance changes by their amounts, also by those that have not moved it.',
  returns: 'Give their amounts back to the balance',
}
