"""Prints recurrences.txt: occurrences that python-dateutil calculates for random recurrence rules.

    pip install python-dateutil==2.9.0.post0 tzdata
    python3 recurrences.py > recurrences.txt

A line is a case: timezone, ruleset lines, an instant, and the first 8 occurrences from that instant
on, within 12 years of the start. The instant is in minutes since 1970; an occurrence is in minutes
since the one before it, the first since the instant. dateutil expands rules in wall-clock time. A
time that the clock skips gets the offset before the gap; of a time that occurs twice the first is
meant (RFC 5545 3.3.5), as with fold=0.
"""

import datetime as clock
import random
from datetime import datetime, timedelta, timezone
from itertools import islice
from zoneinfo import ZoneInfo

from dateutil.rrule import DAILY, MONTHLY, WEEKLY, YEARLY, rrule, rruleset, weekday

CASES = 3000
# Last year that dateutil searches: for a rule without further matches it would search for minutes.
clock.MAXYEAR = 2060
LISTED = 8
YEARS = 12
FREQUENCIES = {"DAILY": DAILY, "WEEKLY": WEEKLY, "MONTHLY": MONTHLY, "YEARLY": YEARLY}
DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
# Clocks that change at midnight, by half an hour, by a day or never; offsets from -11 to +14 hours.
ZONES = """UTC America/Chicago America/New_York America/Santiago America/Havana America/Sao_Paulo
America/St_Johns Asia/Beirut Asia/Kathmandu Asia/Tehran Africa/Cairo Australia/Lord_Howe
Australia/Sydney Europe/Berlin Europe/London Pacific/Apia Pacific/Auckland Pacific/Kiritimati
Pacific/Chatham Pacific/Pago_Pago""".split()


def some(random, values, most):
    return sorted(random.sample(values, random.randint(1, min(most, len(values)))))


def signed(random, top, most):
    values = [*range(1, top + 1), *range(-top, 0)]
    return some(random, values, most)


def by_parts(random, frequency):
    """Returns random BY parts that RFC 5545 allows for the frequency: values by name."""
    parts = {}
    if random.random() < 0.35:
        parts["BYMONTH"] = some(random, range(1, 13), 4)
    if random.random() < 0.4 and frequency != "WEEKLY":
        parts["BYMONTHDAY"] = signed(random, 31, 3)
    if random.random() < 0.15 and frequency == "YEARLY":
        parts["BYYEARDAY"] = signed(random, 366, 4)
    if random.random() < 0.15 and frequency == "YEARLY":
        parts["BYWEEKNO"] = signed(random, 53, 3)
    if random.random() < 0.5:
        numbered = frequency in ("MONTHLY", "YEARLY") and "BYWEEKNO" not in parts
        top = 5 if frequency == "MONTHLY" or "BYMONTH" in parts else 53
        numbers = [0, 0, 1, -1, 2, random.randint(-top, -1), random.randint(1, top)]
        chosen = some(random, range(7), 4)
        parts["BYDAY"] = [(day, random.choice(numbers) if numbered else 0) for day in chosen]
    if parts and random.random() < 0.3:
        parts["BYSETPOS"] = signed(random, 5, 2)
    return parts


def text_of(name, values):
    if name != "BYDAY":
        return f"{name}={','.join(map(str, values))}"
    return f"{name}={','.join(f'{number or str()}{DAYS[day]}' for day, number in values)}"


def arguments(parts):
    names = {"BYDAY": "byweekday"}
    return {
        names.get(name, name.lower()): [weekday(day, number or None) for day, number in values]
        if name == "BYDAY"
        else values
        for name, values in parts.items()
    }


def basic(instant):
    return instant.strftime("%Y%m%dT%H%M%SZ")


def instant_of(local, zone):
    return local.replace(tzinfo=zone, fold=0).astimezone(timezone.utc)


def a_case(random):
    name = random.choice(ZONES)
    zone = ZoneInfo(name)
    day = datetime(1995, 1, 1) + timedelta(days=random.randrange(365 * 40))
    hours = random.choice([0, 0, 0, 0, 2, random.randrange(24)])
    start = instant_of(day + timedelta(hours=hours, minutes=random.choice([0, 0, 30])), zone)
    local = start.astimezone(zone).replace(tzinfo=None)
    frequency = random.choice(list(FREQUENCIES))
    parts = by_parts(random, frequency)
    options = {"interval": random.choice([1, 1, 1, 2, 3, 4, 13]), "wkst": random.choice([0, 0, 6, 2])}
    texts = [f"FREQ={frequency}", f"INTERVAL={options['interval']}", f"WKST={DAYS[options['wkst']]}"]
    last = local + timedelta(days=366 * YEARS)
    if random.random() < 0.15:
        options["count"] = random.randint(1, 60)
        texts.append(f"COUNT={options['count']}")
    elif random.random() < 0.15:
        until = start + timedelta(days=random.randrange(3000))
        last = min(last, until.astimezone(zone).replace(tzinfo=None))
        texts.append(f"UNTIL={basic(until)}")
    texts += [text_of(*part) for part in parts.items()]
    rule = rrule(FREQUENCIES[frequency], dtstart=local, until=last, **options, **arguments(parts))
    dates = rruleset()
    dates.rrule(rule)
    lines = [f"DTSTART:{basic(start)}", f"RRULE:{';'.join(texts)}"]
    if random.random() < 0.1:
        for removed in list(islice(rule, 6))[::2]:
            dates.exdate(removed)
            lines.append(f"EXDATE:{basic(instant_of(removed, zone))}")
        added = local + timedelta(days=random.randrange(900))
        dates.rdate(instant_of(added, zone).astimezone(zone).replace(tzinfo=None))
        lines.append(f"RDATE:{basic(instant_of(added, zone))}")
    since = start + timedelta(days=random.choice([-40, 0, 0, random.randrange(1500)]))
    found = (instant_of(date, zone) for date in dates)
    listed = list(islice((instant for instant in found if instant >= since), LISTED))
    return name, lines, since, listed


def minutes(instant):
    return int(instant.timestamp()) // 60


def main():
    source = random.Random(5545)
    for _ in range(CASES):
        name, lines, since, listed = a_case(source)
        before = minutes(since)
        steps = []
        for instant in listed:
            steps.append(minutes(instant) - before)
            before = minutes(instant)
        print("|".join([name, "\\n".join(lines), str(minutes(since)), " ".join(map(str, steps))]))


if __name__ == "__main__":
    main()
