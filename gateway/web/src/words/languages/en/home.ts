export const home = {
  title: 'Home',
  available: 'Available',
  credit: 'Unused credit',
  owed: 'Owed',
  inCredit: 'In credit',
  expenses: 'In expenses',
  goals: 'In goals',
  why: 'Why?',
  whyOf: 'Why? {name}',
  hideWhy: 'Hide the reason',
  hideWhyOf: 'Hide the reason: {name}',
  whyAvailable: 'The bank account has {available} available; its posted balance is {current}.',
  whyOwed: 'You owe {amount}.',
  whyInCredit: 'The bank owes you {amount}.',
  whyCredit:
    'The credit limit is {limit}, and {amount} of it is unused credit: the bank lends it, it is not your money.',
  whyPending:
    'Another {amount} is pending, or held by the bank: it takes from the unused credit, and is not owed yet.',
  whyUnused: '{amount} remains unused credit.',
  whyExpenses:
    '{count, plural, =0 {{all, plural, =0 {There are no expenses that set money aside.} one {Your expense holds nothing yet.} other {Your # expenses hold nothing yet.}}} one {{amount} of it is set aside in one expense.} other {{amount} of it is set aside in # expenses.}}',
  whyGoals:
    '{count, plural, =0 {{all, plural, =0 {There are no goals that set money aside.} one {Your goal holds nothing yet.} other {Your # goals hold nothing yet.}}} one {{amount} of it is set aside in one goal.} other {{amount} of it is set aside in # goals.}}',
  whyFree: '{amount} remains free to use.',
  whyNegative: 'The envelopes hold {amount} more than there is: move money out of one of them.',
  overdrawn:
    '{rest, select, credit {Unused credit is below zero} other {Below zero}}: move money out of an envelope',
  noBalance:
    'Imported transactions do not move the balance, and it is still zero. If the bank shows another one, these figures are wrong:',
  enterBalance: 'Enter the balance',
  balanceOf:
    'The balance is of {day}; {isOut, select, true {payments} other {income}} of {amount} came since, by {isExact, select, true {{count, plural, one {one imported transaction that does not move it} other {# imported transactions that do not move it}}} other {the last {count} imported transactions, which do not move it}}.',
  changeBalance: 'Change the balance',
  owedOnCard:
    'Owed on {name}: {amount}. {isHeld, select, true {The envelope named like it holds {held}: the other {rest} comes} other {No envelope named like it holds money: all of it comes}} from free to use when you pay.',
  owedPaid:
    'Owed on {name}: {amount}. A payment of that amount left this account on {day}: if it was for {name}, enter or import it there too.',
  seeCards: 'How a card is paid',
  lastChanges: 'The last changes',
  lastOfFree: 'The last changes of free to use',
  behind: 'Behind',
  dueToday: 'Due today',
  noneBehind: 'Every envelope is on its way.',
  unrecorded: 'No payment recorded',
  lapsed:
    'No payment is recorded for the bill of {bill}: since {day} its {amount} {rest, select, free {is free to use} credit {is unused credit} other {is not in the envelope}}. If it is not due this time, there is nothing to do.',
  record: 'Add its payment',
  short: 'Not enough until the payday',
  lacks: '{amount} is missing for purchases until the next payday.',
  payday: 'Next payday',
  fills: 'fills {count, plural, =0 {no envelope} one {one envelope with} other {# envelopes with}}',
  deposit: 'expected pay:',
  noIncome:
    '{isToday, select, true {Today is payday} other {The last payday was {day}}}, and no income of about {amount} has come in yet. {isFilled, select, true {The envelopes are filled all the same: until} other {Until}} it comes, {rest, select, free {less is free to use} credit {less credit is unused} other {they may hold more than there is}}.',
  noPayday: 'No payday is planned, so nothing fills the envelopes.',
  unassigned: 'Not from an envelope yet',
  unassignedText:
    '{rest, select, free {Until you choose an envelope, free to use pays. Leave a payment free to use, and it leaves this list.} file {Payments of a file do not move the balance by themselves, and no envelope pays until you choose one. Leave a payment without one, and it leaves this list.} other {Until you choose an envelope, none pays. Leave a payment without one, and it leaves this list.}}',
  unassignedAll:
    '{isExact, select, true {{count, plural, one {Show it among the transactions} other {Show all # payments that wait for an envelope}}} other {Show all payments that wait for an envelope: {count, plural, other {#}} or more}}',
  unassignedNone: 'No payment waits for an envelope.',
  assign: 'Envelope for {name}',
  assigned: '{name}: from {envelope}.',
  assignedEmpty:
    '{name}: from {envelope}. It holds nothing, so {rest, select, owed {all of the payment is owed} credit {all of the payment comes from unused credit} file {it pays nothing} other {all of the payment comes from free to use}}.',
  assignedPart:
    '{name}: from {envelope}. It held {amount}{rest, select, owed {; the rest is owed} credit {; the rest comes from unused credit} file {, and pays no more} other {; the rest comes from free to use}}.',
  assignedOlder:
    '{name}: {amount} from {envelope}. The payment is older than the envelope, which began on {day}: if its money is for later, undo this.',
  assignedFormer:
    '{name}: {amount} from {envelope}. The payment is of a day before {day}, when its last bill was due: if its money is for the coming bill, undo this.',
  leaveFree: 'Leave it {rest, select, free {free to use} other {without an envelope}}',
  leftFree:
    '{name} stays without an envelope{rest, select, free {: free to use has paid it} other {}}.',
  countsAsBill: 'It also counts as the bill of {day}, which is now paid.',
  maybeBill: 'If it was the bill of {day}, mark it as paid: else paydays save for that bill again.',
  older:
    '{areAll, select, true {They} other {Some of them}} were paid before {day}, when your first envelope began. They are paid already: an envelope that pays them lacks the money for later bills.',
  leaveOlder:
    '{rest, select, free {Leave those free to use} other {Leave those without an envelope}}',
  keys: 'Keys for the marked payment:',
  chooseEnvelope: 'Choose …',
} as const
