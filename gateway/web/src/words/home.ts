export const homeWords = {
  title: 'Home',
  free: 'Free to use',
  available: 'Available',
  credit: 'Unused credit',
  owed: 'Owed',
  expenses: 'In expenses',
  goals: 'In goals',
  why: 'Why?',
  hideWhy: 'Hide the reason',
  whyAvailable: (available: string, current: string) =>
    `The bank account has ${available} available; its posted balance is ${current}.`,
  whyExpenses: (amount: string, count: number) =>
    count === 0
      ? 'There are no expenses that set money aside.'
      : `${amount} of it is set aside in ${count === 1 ? 'one expense' : `${count} expenses`}.`,
  whyGoals: (amount: string, count: number) =>
    count === 0
      ? 'There are no goals that set money aside.'
      : `${amount} of it is set aside in ${count === 1 ? 'one goal' : `${count} goals`}.`,
  whyFree: (amount: string) => `${amount} remains free to use.`,
  whyNegative: (amount: string) =>
    `The envelopes hold ${amount} more than there is: move money out of one of them.`,
  lastChanges: 'The last changes',
  behind: 'Behind',
  due: (distance: string) => `due ${distance}`,
  noneBehind: 'Every envelope is on its way.',
  noEnvelopes: 'No envelopes yet.',
  payday: 'Next payday',
  fills: (count: number) => `fills ${count === 1 ? 'one envelope' : `${count} envelopes`} with`,
  deposit: 'expected deposit:',
  noPayday: 'No payday is planned, so nothing fills the envelopes.',
  unassigned: 'Not from an envelope yet',
  unassignedAll: (count: number, isExact: boolean) =>
    isExact
      ? `Show all ${count} payments without an envelope`
      : `Show all payments without an envelope: ${count} or more`,
  unassignedNone: 'No payment waits for an envelope.',
  assign: (name: string) => `Envelope for ${name}`,
  assigned: (name: string, envelope: string) => `${name}: from ${envelope}.`,
  assignedEmpty: (name: string, envelope: string) =>
    `${name}: from ${envelope}. It holds nothing, so all of the payment comes from free to use.`,
  assignedPart: (name: string, envelope: string, amount: string) =>
    `${name}: from ${envelope}. It held ${amount}; the rest comes from free to use.`,
  undo: 'Undo',
  keys: 'Keys for the marked payment:',
  fromFree: 'Free to use',
}
