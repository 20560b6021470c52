"""The maps of memory on the page of mlf report --html: what is alive, where, and when."""

import unittest

import support
from page_case import ARCHIVES, Browser
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait


class PageMemory(Browser):
    def rectangles(self, figure="figure.map:not(.planned)"):
        return self.run_script("""
            return Array.from(document.querySelectorAll(`${arguments[0]} svg.places rect:not(.shared)`), rect => {
              const box = rect.getBoundingClientRect();
              const plot = rect.ownerSVGElement.getBoundingClientRect();
              const value = name => Number(rect.getAttribute(name));
              return {name: rect.textContent.replace(/: .*$/, ""), offset: Number(rect.dataset.offset),
                      first: value('x'), steps: value('width'), bytes: value('height'),
                      box: [(box.left - plot.left) / plot.width, box.width / plot.width,
                            (plot.bottom - box.bottom) / plot.height, box.height / plot.height]};
            })""", figure)

    def pool_archives(self):
        return [archive for archive in ARCHIVES if "usmp" in str(archive)]

    def test_the_map_is_what_is_alive_at_the_peak(self):
        for archive in self.pool_archives():
            with self.subTest(archive):
                peak = self.open(archive)["modules"][0]["peak"]
                alive = [one for one in self.rectangles()
                         if one["first"] <= peak["call"] < one["first"] + one["steps"]]
                self.assertEqual(
                    sorted((one["name"], one["bytes"]) for one in alive),
                    sorted((one["name"], one["bytes"]) for one in peak["live"]
                           if one["memory"] == "pool"))

    def test_pixels_of_the_map_are_where_the_topology_says(self):
        for archive in self.pool_archives():
            with self.subTest(archive):
                report = self.open(archive)
                topology = support.json_of("graph", archive)
                pool = next(pool for pool in topology["pools"] if pool["kind"] == "workspace")
                steps = len(report["modules"][0]["calls"])
                storages = topology["storages"]
                found = {one["name"]: one for one in self.rectangles()}
                checked = 0
                for value in topology["values"]:
                    storage = storages[value["storage"]]
                    if storage["kind"] != "pool" or value["kind"] != "computed":
                        continue
                    if topology["pools"][storage["pool"]]["kind"] != "workspace":
                        continue
                    first, last = value["first_definition"], value["last_use"]
                    expected = (first / steps, (last + 1 - first) / steps,
                                storage["offset"] / pool["bytes"], value["bytes"] / pool["bytes"])
                    for seen, wanted in zip(found[value["name"]]["box"], expected):
                        self.assertAlmostEqual(seen, wanted, delta=0.005)
                    checked += 1
                self.assertGreater(checked, 1)

    def test_a_pool_that_a_plan_makes_smaller_is_there_as_planned_beside_it(self):
        gains = 0
        for archive in self.pool_archives():
            with self.subTest(archive):
                self.open(archive)
                (module,) = support.json_of("plan", archive, "--json")["modules"]
                found = self.rectangles("figure.planned")
                pools = [pool for pool in module["pools"] if pool["gain"]]
                self.assertEqual(len(self.texts("figure.planned figcaption")), len(pools))
                # The overview says it as well.
                text = self.texts(".summary")[0]
                for pool in pools:
                    self.assertIn(f"With other offsets, pool {pool['name']} takes {pool['best']:,} bytes instead of "
                                  f"{pool['best'] + pool['gain']:,}, {pool['gain']:,} bytes fewer.", text)
                for pool, text in zip(pools, self.texts("figure.planned figcaption")):
                    self.assertIn(f"{pool['best']:,} bytes: {pool['gain']:,} fewer", text)
                expected = [(buffer["variable"], buffer["best_offset"], buffer["bytes"])
                            for pool in pools for buffer in pool["buffers"] for _ in buffer["live"]]
                self.assertEqual(
                    sorted((one["name"], one["offset"], one["bytes"]) for one in found),
                    sorted(expected))
                # Nothing is drawn over anything else: a plan has no such two.
                for nth, one in enumerate(found):
                    for other in found[nth + 1 :]:
                        in_time = min(one["first"] + one["steps"], other["first"] + other["steps"]) - max(
                            one["first"], other["first"])
                        in_place = min(one["offset"] + one["bytes"], other["offset"] + other["bytes"]) - max(
                            one["offset"], other["offset"])
                        self.assertFalse(in_time > 0.001 and in_place > 0, (one, other))
                gains += len(pools)
        print(f"{gains} pools as planned")
        self.assertGreater(gains, 0)

    def test_bytes_that_two_tensors_have_in_a_call_are_drawn_and_explained(self):
        shared = 0
        for archive in ARCHIVES:
            if len(self.open(archive)["modules"]) > 1:
                continue
            found = self.rectangles()
            expected = set()
            for nth, one in enumerate(found):
                for other in found[nth + 1 :]:
                    first, last = max(one["first"], other["first"]), min(
                        one["first"] + one["steps"], other["first"] + other["steps"])
                    bottom, top = max(one["offset"], other["offset"]), min(
                        one["offset"] + one["bytes"], other["offset"] + other["bytes"])
                    if first < last and bottom < top:
                        expected.add((first, last - first, bottom, top - bottom))
            drawn = self.run_script("""
                return Array.from(document.querySelectorAll('figure.map:not(.planned) .shared'), e =>
                  [...['x', 'width'].map(name => Number(e.getAttribute(name))),
                   Number(e.dataset.offset), Number(e.getAttribute('height'))])""")
            with self.subTest(archive):
                self.assertEqual({tuple(one) for one in drawn}, expected)
                notes = [text for text in self.texts("figure.map:not(.planned) .note") if text.startswith("Dashed: ")]
                self.assertEqual(bool(notes), bool(expected))
            shared += len(expected)
        self.assertGreater(shared, 0)

    def test_the_peak_is_marked(self):
        for archive in self.pool_archives():
            peak = self.open(archive)["modules"][0]["peak"]["call"]
            self.assertEqual(set(self.texts(".marks text")), {f"peak: call {peak}"})
            mark, cursor = self.run_script("""
                return ['.marks line', '.cursor'].map(one => document.querySelector(one).getBoundingClientRect().left)""")
            self.assertAlmostEqual(mark, cursor, delta=2)

    def test_a_step_of_the_map_is_chosen_with_the_keyboard(self):
        for archive in self.pool_archives()[:1]:
            peak = self.open(archive)["modules"][0]["peak"]
            self.assertIn(f": {peak['bytes']:,} bytes in use", self.texts("figure.map .readout")[0])
            slider = self.driver.find_element(By.CSS_SELECTOR, "figure.map input")
            slider.send_keys(Keys.HOME)
            for _ in range(peak["call"]):
                slider.send_keys(Keys.ARROW_RIGHT)
            text = self.texts("figure.map .readout")[0]
            self.assertIn(f"At call {peak['call']}: {peak['bytes']:,} bytes in use", text)
            for one in peak["live"]:
                self.assertIn(f"{one['name']}: {one['bytes']:,} bytes at ", text)

    def test_maps_beside_each_other_show_the_same_step(self):
        several = 0
        for archive in ARCHIVES:
            report = self.open(archive)
            if len(report["modules"]) > 1 or len(self.texts("figure.map")) < 2:
                continue
            several += 1
            with self.subTest(archive):
                steps = "return Array.from(document.querySelectorAll('figure.map input'), e => e.value)"
                begun = [text.split(":")[0] for text in self.texts("figure.map .readout p")]
                self.assertEqual(set(begun), {f"At call {report['modules'][0]['peak']['call']}"})
                sliders = self.driver.find_elements(By.CSS_SELECTOR, "figure.map input")
                sliders[-1].send_keys(Keys.HOME, Keys.ARROW_RIGHT)
                self.assertEqual(set(self.run_script(steps)), {"1"})
                self.driver.execute_script("document.querySelector('.maps').scrollIntoView()")
                ActionChains(self.driver).move_to_element(
                    self.driver.find_elements(By.CSS_SELECTOR, "figure.map .plot svg")[0]).perform()
                (pointed,) = set(self.run_script(steps))
                middle = int(self.run_script(
                    "return document.querySelector('figure.map input').max")) / 2
                self.assertLessEqual(abs(int(pointed) - middle), 1)
        if support.HAS_WHOLE_CORPUS:
            self.assertGreater(several, 0)

    def test_live_tensors_outside_of_pools_have_names_and_bytes(self):
        checked = 0
        for archive in ARCHIVES:
            report = self.open(archive)
            for module in report["modules"]:
                peak = module["peak"]
                if peak["call"] is None:
                    continue
                self.run_script("location.hash = arguments[0]", f"#call={peak['call']}")
                for memory in ("heap", "stack", "executor"):
                    live = [one for one in peak["live"] if one["memory"] == memory]
                    figure = f"figure[id='memory={memory}']"
                    if not live or len(report["modules"]) > 1 or not self.texts(figure):
                        continue
                    with self.subTest(archive, memory=memory):
                        self.wait_for_text(f"{figure} .readout", f"At call {peak['call']}:")
                        self.assertEqual(
                            sorted(self.texts(f"{figure} .readout li")),
                            sorted(f"{one['name']}: {one['bytes']:,} bytes" for one in live))
                        checked += 1
        self.assertGreater(checked, 0)

    def wait_for_text(self, selector, text):
        WebDriverWait(self.driver, 10).until(lambda _: text in "".join(self.texts(selector)))

    def test_a_link_to_a_call_leads_the_maps_and_the_network_there(self):
        for archive in self.pool_archives()[:1]:
            calls = self.open(archive, "#call=3")["modules"][0]["calls"]
            self.wait_for_text("figure.map .readout", "At call 3:")
            self.assertEqual(
                [text.split(":")[0] for text in self.texts("figure.map .readout p")],
                ["At call 3"] * len(self.texts("figure.map")))
            if self.texts(".network svg"):
                (label,) = self.run_script("""
                    return Array.from(document.querySelectorAll('.network:not([hidden]) .current'),
                                      e => e.getAttribute('aria-label'))""")
                self.assertRegex(label, r"^call 3: ")
            # The number of a call is the link to it.
            self.run_script("document.querySelector('.calls th a[href=\"#call=1\"]').click()")
            self.wait_for_text("figure.map .readout", "At call 1:")
            self.assertGreater(len(calls), 3)


if __name__ == "__main__":
    unittest.main()
