"""The section of effects of a page, and its text."""

import re

from blindauc import report


def features_section(findings):
    return report.as_html(findings).split('<section id="features">')[1].split("</section>")[0]


def text_of(markup):
    return re.sub(r"<[^>]*>", "", markup).replace("\u00a0", " ")
