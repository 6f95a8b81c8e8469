import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { configQuery } from '../../api/account-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { Amount } from '../../controls/amount.tsx'
import { Asked } from '../../controls/asked.tsx'
import { Button } from '../../controls/button.tsx'
import { CheckField, ChoiceField, TextField } from '../../controls/field.tsx'
import { FaultBanner, Form } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { Card, Screen } from '../../controls/screen.tsx'
import { useReader } from '../../shell/chosen-account.ts'
import { accountWords as words } from '../../words/accounts.ts'

type Body = Parameters<typeof coffer.createFeedLink>[0]['body']

const route = getRouteApi('/frame/links/feed')

/**
 * Connects a feed of bank data: its address and key, then the choice of bank accounts. The
 * connection is in the URL, so that the choice goes on after a reload, and for a connection that
 * has bank accounts already.
 */
export function FeedLink() {
  const { feedLinkId } = route.useSearch()
  const navigate = useNavigate()
  const choose = (created: string) =>
    void navigate({ to: '/links/feed', search: { feedLinkId: created }, replace: true })
  return (
    <Screen title={words.byFeed} isNarrow>
      <Card>
        {feedLinkId === undefined ? (
          <Connect onConnected={choose} />
        ) : (
          <Candidates feedLinkId={feedLinkId} />
        )}
      </Card>
    </Screen>
  )
}

function Connect({ onConnected }: { onConnected: (feedLinkId: string) => void }) {
  const { data: config } = useQuery(configQuery)
  const { send, isSending, fault } = useChange(async (body: Body) => {
    const { feedLinkId } = (await coffer.createFeedLink({ body })).data
    await coffer.refreshFeedBankAccounts({ path: { feedLinkId } })
    return feedLinkId
  })
  const urls = config?.feedAllowedAPIURLs ?? []
  if (config && urls.length === 0) return <p>{words.feedNone}</p>
  return (
    <Form
      action={words.connect}
      isSending={isSending}
      fault={fault}
      onSubmit={(values) => send(values as unknown as Body, onConnected)}
    >
      <TextField label={words.feedName} name="name" fault={fault?.problems.name} />
      <ChoiceField
        label={words.feedUrl}
        name="feedURL"
        options={urls.map((value) => ({ value, text: value }))}
        fault={fault?.problems.feedURL}
      />
      <TextField
        label={words.feedKey}
        name="apiKey"
        type="password"
        autoComplete="off"
        fault={fault?.problems.apiKey}
      />
    </Form>
  )
}

function Candidates({ feedLinkId }: { feedLinkId: string }) {
  const { locale } = useReader()
  const navigate = useNavigate()
  const [chosen, setChosen] = useState<string[]>([])
  const path = { feedLinkId }
  const found = useQuery({
    queryKey: ['candidates', feedLinkId],
    queryFn: async ({ signal }) => (await coffer.listFeedBankAccounts({ path, signal })).data,
  })
  const look = useChange(() => coffer.refreshFeedBankAccounts({ path }))
  const { send, isSending, fault } = useChange(() => addAccounts(feedLinkId, chosen))
  const toggle = (id: string, isChosen: boolean) =>
    setChosen((now) => (isChosen ? [...now, id] : now.filter((one) => one !== id)))
  const shownFault = fault ?? look.fault
  return (
    <>
      <h2>{words.candidates}</h2>
      {shownFault && <FaultBanner fault={shownFault} />}
      <Asked query={found}>
        {(all) => (
          <>
            {all.length === 0 && <p>{words.candidatesNone}</p>}
            {all.map(({ feedBankAccountId: id, name, institutionName, currency, ...one }) => (
              <div key={id} className={rows.row}>
                <CheckField
                  label={`${institutionName}: ${name}${isUsed(one) ? ` (${words.taken})` : ''}`}
                  checked={isUsed(one) || chosen.includes(id)}
                  disabled={isUsed(one)}
                  onChange={(event) => toggle(id, event.target.checked)}
                />
                <Amount amount={one.currentBalance} manner={{ locale, currency }} />
              </div>
            ))}
          </>
        )}
      </Asked>
      <div className={rows.toolbar}>
        {chosen.length > 0 && (
          <Button
            kind="primary"
            isBusy={isSending}
            onClick={() =>
              send(
                undefined,
                (account) => void navigate({ to: '/setup/plan', search: { account } }),
              )
            }
          >
            {words.take}
          </Button>
        )}
        <Button isBusy={look.isSending} onClick={() => look.send(undefined)}>
          {words.look}
        </Button>
      </div>
    </>
  )
}

/** Returns whether a bank account was created from a candidate. */
function isUsed({ status }: { status: string }): boolean {
  return status !== 'inactive'
}

/** Creates bank accounts from the chosen candidates. Returns the ID of the first one. */
async function addAccounts(feedLinkId: string, chosen: string[]): Promise<string | undefined> {
  // As the server has them now: a former attempt may have failed halfway.
  const { data: all } = await coffer.listFeedBankAccounts({ path: { feedLinkId } })
  const free = (all ?? []).filter((one) => !isUsed(one))
  const wanted = free.filter((one) => chosen.includes(one.feedBankAccountId))
  const institutionName = wanted[0]?.institutionName || words.kinds.feed
  const linkId = await linkOf(feedLinkId, institutionName)
  const created: string[] = []
  for (const { feedBankAccountId, name } of wanted) {
    const body = { linkId, name, feedBankAccountId }
    created.push((await coffer.createBankAccount({ body })).data.bankAccountId)
  }
  return created[0]
}

/** Returns the ID of the link over a connection, which is created if there is none. */
async function linkOf(feedLinkId: string, institutionName: string): Promise<string> {
  const { links } = (await coffer.getOverview()).data
  const known = links.find((one) => one.feedLinkId === feedLinkId)
  if (known) return known.linkId
  return (await coffer.createLink({ body: { institutionName, feedLinkId } })).data.linkId
}
