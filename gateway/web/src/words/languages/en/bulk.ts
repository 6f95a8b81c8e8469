export const bulk = {
  select: 'Select',
  done: 'Done',
  one: 'Select {name}',
  bar: 'Selected transactions',
  count: '{count} selected',
  full: '{count} selected, the most at once',
  all: 'Select all loaded ones',
  none: 'Select none',
  assign: 'Assign',
  hasBooked: 'Mark {count, plural, one {one} other {#}} as posted',
  refused: 'Not changed:',
  changed: '{all, plural, one {One transaction} other {# transactions}} changed.',
  changedSome: '{count} of {all, plural, one {one transaction} other {# transactions}} changed.',
  former:
    '{all, plural, one {It is} other {{count, plural, one {One of them is} other {# of them are}}}} of a day before {day}, when the last bill of “{envelope}” was due: if its money is for the coming bill, undo this.',
  older:
    '{all, plural, one {It is} other {{count, plural, one {One of them is} other {# of them are}}}} older than the envelope “{envelope}”, which began on {day}: if its money is for later, undo this.',
  others: '{count, plural, one {one other} other {# others}}',
  left: 'Changed since, and left as it is: {names}.',
  undo: 'Undo',
  removeTitle: '{count, plural, one {Delete one transaction?} other {Delete # transactions?}}',
  removeText:
    'They leave all lists. The filter State: Deleted shows them, and they can be restored. With the tick, the balance changes by their amounts, also by those that have not moved it.',
  returns: 'Give their amounts back to the balance',
} as const
