"""The list of checks; each gets the world.

SPDX-License-Identifier: MIT
"""
ALL = []


class Check:
    def __init__(self, sentence, function):
        self.sentence = sentence
        self.function = function


def check(sentence):
    return lambda function: ALL.append(Check(sentence, function))
