"""Problems of allocation that are known to fit, made from a seed.

A plan is a list of (lower, upper, from, to): steps and bytes of each buffer. What is done to a plan
keeps it a plan, so the buffers without their offsets are a problem that has a solution.
"""

import bisect
import random

MEGABYTE = 1 << 20


def reversed_in_time(plan, pick):
    end = max(upper for _, upper, *_ in plan)
    return [(end - upper, end - lower, *place) for lower, upper, *place in plan]


def in_another_time(plan, pick):
    """The same events at other distances."""
    steps, now = {}, 0
    for step in sorted({step for one in plan for step in one[:2]}):
        steps[step] = now
        now += pick.choice((1, 1, 2, 3, 5, 20))
    return [(steps[lower], steps[upper], *place) for lower, upper, *place in plan]


def with_other_sizes(plan, pick, capacity=MEGABYTE, unit=256):
    """Parts of the memory grow and others shrink: sections that were full still are."""
    ends = [0, *sorted(pick.randrange(1, capacity) for _ in range(pick.randrange(4, 12))), capacity]
    heights = [0.0]
    for below, above in zip(ends, ends[1:]):
        heights.append(heights[-1] + (above - below) * pick.uniform(0.4, 2.2))

    def moved(byte):
        part = min(bisect.bisect_right(ends, byte), len(ends) - 1) - 1
        share = (byte - ends[part]) / max(1, ends[part + 1] - ends[part])
        height = heights[part] + share * (heights[part + 1] - heights[part])
        return round(height * capacity / heights[-1] / unit) * unit

    places = [(lower, upper, moved(low), moved(high)) for lower, upper, low, high in plan]
    return [one for one in places if one[2] < one[3]]


def stretched(plan, pick, share=0.6):
    """Lifetimes of some buffers last longer, where bytes are free."""
    plan = list(plan)
    begin, end = min(one[0] for one in plan), max(one[1] for one in plan)
    for i in pick.sample(range(len(plan)), int(share * len(plan))):
        lower, upper, low, high = plan[i]
        beside = [one for one in plan if one[2] < high and low < one[3]]
        first = max((one[1] for one in beside if one[1] <= lower), default=begin)
        last = min((one[0] for one in beside if one[0] >= upper), default=end)
        plan[i] = (pick.randint(first, lower), pick.randint(upper, last), low, high)
    return plan


def cut(plan, pick, share=0.2):
    """Some buffers become two, one after or above the other."""
    pieces = []
    for lower, upper, low, high in plan:
        chance = pick.random()
        if chance < share / 2 and upper - lower > 1:
            step = pick.randrange(lower + 1, upper)
            pieces += [(lower, step, low, high), (step, upper, low, high)]
        elif share / 2 <= chance < share and high - low > 2048:
            byte = low + pick.randrange(1, (high - low) // 1024) * 1024
            pieces += [(lower, upper, low, byte), (lower, upper, byte, high)]
        else:
            pieces.append((lower, upper, low, high))
    return pieces


def in_sequence(plan, other, pick):
    end = max(upper for _, upper, *_ in plan)
    later = [(end + lower, end + upper, *place) for lower, upper, *place in other]
    return stretched(plan + later, pick)


def on_each_other(plan, other, pick):
    """Both at the same time, in twice the memory."""

    def part_of(whole):
        steps = sorted({step for one in whole for step in one[:2]})
        first = pick.randrange(len(steps) // 2)
        numbers = {step: max(0, min(i - first, 80)) for i, step in enumerate(steps)}
        part = [(numbers[lower], numbers[upper], *place) for lower, upper, *place in whole]
        return [one for one in part if one[0] < one[1]]

    upper_half = [(*life, MEGABYTE + low, MEGABYTE + high) for *life, low, high in part_of(other)]
    return part_of(plan) + upper_half


def cut_megabyte(pick, count):
    """A megabyte for 1,000 steps, cut so that nothing is left over; large pieces are cut first."""
    pieces = [(0, 1000, 0, MEGABYTE)]
    while len(pieces) < count:
        weights = [(one[1] - one[0]) * (one[3] - one[2]) ** 0.7 for one in pieces]
        chosen = pieces.pop(pick.choices(range(len(pieces)), weights)[0])
        pieces += cut([chosen], pick, share=1.0)
    return pieces


def problems(plans, seed):
    """(family, name, capacity, plan) of a seed, from named plans within a megabyte."""
    pick = random.Random(seed)
    for name, plan in plans.items():
        yield "permuted", name, MEGABYTE, plan
        yield "reversed", name, MEGABYTE, reversed_in_time(in_another_time(plan, pick), pick)
        yield "other sizes", name, MEGABYTE, with_other_sizes(in_another_time(plan, pick), pick)
        yield "stretched", name, MEGABYTE, stretched(plan, pick, pick.choice((0.2, 0.5, 0.9)))
        yield "cut", name, MEGABYTE, cut(plan, pick)
        changed = with_other_sizes(cut(stretched(plan, pick), pick, 0.1), pick, unit=1024)
        yield "all of these", name, MEGABYTE, changed
    for combine, family, size in ((in_sequence, "in sequence", 1), (on_each_other, "stacked", 2)):
        for first, second in (pick.sample(sorted(plans), 2) for _ in range(2)):
            together = combine(plans[first], plans[second], pick)
            yield family, first + second, size * MEGABYTE, together
    for slack in (0, 1, 3, 5):
        for count in (120, 300):
            capacity = MEGABYTE + MEGABYTE * slack // 100
            yield f"cut, {slack} % free", str(count), capacity, cut_megabyte(pick, count)
