"""The drawing of the network on the page of mlf report --html."""

import time
import unittest

from page_case import ARCHIVES, BUNDLED, Browser
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait


class Drawing(Browser):
    SHOWN = ".network:not([hidden])"

    def open_drawing(self, archive):
        """The calls of its only module; skips where there is no drawing."""
        calls = self.open(archive)["modules"][0]["calls"]
        if not self.texts(".network svg"):
            self.skipTest("built without Graphviz")
        return calls

    def test_the_network_is_searched_coloured_and_leads_to_calls(self):
        calls = self.open_drawing(BUNDLED)
        nodes = self.driver.find_elements(By.CSS_SELECTOR, f"{self.SHOWN} [role=link]")
        self.assertEqual(len(nodes), len(calls))
        fills = [node.find_element(By.CSS_SELECTOR, "path, polygon").value_of_css_property("fill")
                 for node in nodes]
        by_cost = sorted(range(len(calls)), key=lambda i: calls[i]["mac"])
        self.assertNotEqual(fills[by_cost[0]], fills[by_cost[-1]])
        self.driver.find_element(By.CSS_SELECTOR, "#network + .tools [type=search]").send_keys("call 3")
        self.assertEqual(self.texts("#network + .tools [role=status]"), [f"1 of {len(calls)}"])
        nodes[2].send_keys(Keys.ENTER)
        self.assertEqual(self.run_script("return location.hash"), "#call=2")

    def scrolled(self):
        """How far the drawing is scrolled, and how wide it is."""
        return self.run_script("""
            const frame = document.querySelector(arguments[0]);
            return [frame.scrollLeft, frame.scrollTop,
                    frame.querySelector('svg').getBoundingClientRect().width]""", self.SHOWN)

    def wait_until_it_rests(self):
        """Browsers scroll smoothly."""
        places = [None]

        def rests(_):
            places.append(self.scrolled())
            time.sleep(0.2)
            return places[-2] == places[-1]

        WebDriverWait(self.driver, 10).until(rests)

    def test_the_network_is_zoomed_and_moved(self):
        self.size(400)  # less than the enlarged drawing has
        self.open_drawing(self.chain(60))
        frame = self.driver.find_element(By.CSS_SELECTOR, self.SHOWN)
        before = self.scrolled()[2]
        frame.send_keys("+++++++")
        _, top, width = self.scrolled()
        self.assertAlmostEqual(width, before * 1.2**7, delta=1)
        frame.send_keys(Keys.ARROW_DOWN)
        WebDriverWait(self.driver, 10).until(lambda _: self.scrolled()[1] > top)
        self.wait_until_it_rests()
        self.run_script("document.querySelector(arguments[0]).scrollTo(50, 50)", self.SHOWN)
        drag = webdriver.ActionChains(self.driver, duration=50)
        drag.move_to_element_with_offset(frame, 30, 30).click_and_hold().move_by_offset(20, -30).release()
        location = self.run_script("return location.hash")
        drag.perform()
        self.assertEqual(self.scrolled()[:2], [30, 80])
        self.assertEqual(self.run_script("return location.hash"), location)
        self.run_script("document.querySelector('.tools [title=\"Show the whole network\"]').click()")
        self.assertLess(self.scrolled()[2], width)

    def test_a_long_network_is_one_column_of_calls(self):
        calls = self.open_drawing(self.chain(60))
        boxes = self.run_script("""
            return Array.from(document.querySelectorAll(`${arguments[0]} [role=link]`), e => {
              const box = e.getBoundingClientRect();
              return [(box.left + box.right) / 2, box.top];
            })""", self.SHOWN)
        self.assertEqual(len(boxes), len(calls))
        self.assertEqual(boxes, sorted(boxes, key=lambda box: box[1]))
        self.assertLess(max(x for x, _ in boxes) - min(x for x, _ in boxes), 5)

    # Graphviz knows the widths of its own letters; the browser may draw wider ones. In points.
    def test_texts_stay_within_their_boxes(self):
        for archive in ARCHIVES:
            self.open(archive)
            with self.subTest(archive):
                over = self.run_script("""
                    return Array.from(document.querySelectorAll('.network:not([hidden]) .node'), node => {
                      const box = node.querySelector('path, polygon, ellipse').getBBox();
                      return Array.from(node.querySelectorAll('text'), text => [text.getBBox(), text])
                        .filter(([its]) => its.x < box.x + 5 || its.x + its.width > box.x + box.width - 5)
                        .map(([, text]) => text.textContent);
                    }).flat()""")
                self.assertEqual(over, [])

    def test_what_is_searched_is_in_the_middle(self):
        self.open_drawing(self.chain(60))
        self.driver.find_element(By.CSS_SELECTOR, "#network + .tools [type=search]").send_keys("add_34")
        found, frame = self.run_script("""
            return ['.network .found', arguments[0]].map(selector => {
              const box = document.querySelector(selector).getBoundingClientRect();
              return {left: box.left, right: box.right, top: box.top, bottom: box.bottom};
            })""", self.SHOWN)
        self.assertGreaterEqual(found["top"], frame["top"])
        self.assertLessEqual(found["bottom"], frame["bottom"])
        self.assertGreaterEqual(found["left"], frame["left"])
        self.assertLessEqual(found["right"], frame["right"])

    def test_repeated_parts_fold(self):
        count = 40
        calls = self.open_drawing(self.chain(count))
        links = f"return Array.from(document.querySelectorAll('{self.SHOWN} [role=link]'), "
        self.assertEqual(len(self.run_script(links + "e => 0)")), count)
        checkbox = self.driver.find_element(By.CSS_SELECTOR, "#network + .tools [type=checkbox]")
        checkbox.send_keys(Keys.SPACE)
        (label,) = self.run_script(links + "e => e.getAttribute('aria-label'))")
        self.assertRegex(label, rf"^calls 0 to {count - 1}: ")
        for key, unit in (("mac", "MAC"), ("loaded", "bytes loaded")):
            self.assertIn(f"{sum(call[key] for call in calls):,} {unit}", label)
        self.assertIn(f"{max(call['live'] for call in calls):,} bytes in use", label)
        field = self.driver.find_element(By.CSS_SELECTOR, "#network + .tools [type=search]")
        field.send_keys("add_7")
        self.assertEqual(self.texts("#network + .tools [role=status]"), ["1 of 1"])
        self.driver.find_element(By.CSS_SELECTOR, f"{self.SHOWN} [role=link]").send_keys(Keys.ENTER)
        self.assertEqual(self.run_script("return location.hash"), "#call=0")
        checkbox.send_keys(Keys.SPACE)
        self.assertEqual(len(self.run_script(links + "e => 0)")), count)

    def test_a_network_too_large_for_a_layout_is_drawn_folded(self):
        self.open_drawing(self.chain(1200))
        self.assertIn("too many edges", " ".join(self.texts(".drawings .note")))
        self.assertEqual(len(self.texts(f"{self.SHOWN} [role=link]")), 1)
        self.assertEqual(self.texts("#network + .tools [type=checkbox]"), [])

    def test_on_paper_it_is_on_one_page_and_over_nothing(self):
        self.open_drawing(self.chain(60))
        self.media("print", "light")
        svg, frame, tools = self.run_script("""
            return ['svg', '', ''].map((selector, i) => {
              const element = i < 2 ? document.querySelector(`${arguments[0]} ${selector}`)
                                    : document.querySelector('#network + .tools');
              const box = element.getBoundingClientRect();
              return {bottom: box.bottom, width: box.width, height: box.height};
            })""", self.SHOWN)
        self.assertLessEqual(svg["bottom"], frame["bottom"])
        self.assertLessEqual(svg["width"], frame["width"])
        self.assertLessEqual(svg["height"], 165 / 25.4 * 96 + 1)
        self.assertEqual(tools["height"], 0)

    # Not compared: it is of the machine.
    def test_a_large_drawing_moves(self):
        self.open_drawing(self.chain(990))
        self.driver.execute_async_script("requestAnimationFrame(() => setTimeout(arguments[0], 500))")
        frames, seconds = self.driver.execute_async_script("""
            const [selector, done] = arguments;
            const frame = document.querySelector(selector);
            frame.scrollIntoView();
            const box = frame.getBoundingClientRect();
            const at = (type, x, y) => frame.dispatchEvent(new PointerEvent(type, {
              clientX: x, clientY: y, pointerType: 'mouse', bubbles: true}));
            let frames = 0;
            const begin = performance.now();
            at('pointerdown', box.left + 300, box.top + 300);
            const step = () => {
              frames += 1;
              const seconds = (performance.now() - begin) / 1000;
              at('pointermove', box.left + 300 - 200 * seconds, box.top + 300 - 300 * seconds);
              if (seconds < 2) requestAnimationFrame(step);
              else { at('pointerup', 0, 0); done([frames, seconds]); }
            };
            requestAnimationFrame(step);""", self.SHOWN)
        moved = self.scrolled()
        print(f"a drawing of 990 calls moves at {frames / seconds:.0f} frames per second")
        self.assertGreater(moved[0] + moved[1], 300)

    def test_the_network_is_coloured_by_target(self):
        def attributes(i):
            kind = ("c", "cmsis-nn", "c")[i]
            return f'        T.func_attr({{"target": T.target({{"kind": "{kind}", "keys": ["{kind}"]}})}})\n'

        module = self.open(self.chain(3, attributes))["modules"][0]
        self.assertEqual([kernel["target"] for kernel in module["kernels"]], ["c", "cmsis-nn", "c"])
        self.run_script("""
            const select = document.querySelector('.tools select');
            select.value = 'target';
            select.dispatchEvent(new Event('change'));""")
        legend = dict(self.run_script("""
            return Array.from(document.querySelectorAll('.legend span'),
              e => [e.textContent, getComputedStyle(e).backgroundColor])"""))
        self.assertEqual(list(legend), ["c", "cmsis-nn"])
        fills = self.run_script("""
            return [0, 1, 2].map(i => document.querySelector(`[aria-label^="call ${i}:"]`))
              .map(node => getComputedStyle(node.querySelector('path, polygon, ellipse')).fill)""")
        self.assertEqual(fills, [legend["c"], legend["cmsis-nn"], legend["c"]])
        self.assertNotEqual(legend["c"], legend["cmsis-nn"])


if __name__ == "__main__":
    unittest.main()
