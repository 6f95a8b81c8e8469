/** The lists of a change set without rows, to be combined with a bank account. */
export const emptyChangeSet = {
  created: [],
  envelopes: [],
  entries: [],
  inserted: [],
  updated: [],
  deleted: [],
  records: [],
  closed: [],
  forgotten: [],
  accountRecords: [],
  aliases: [],
  changes: [],
  replies: [],
  operations: [],
  changesTexts: false,
}
